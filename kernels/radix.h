/* Straight-line DFTs of 2 to 31 points, in place and in natural order. */
#ifndef RADIX_H
#define RADIX_H

#include "complex.h"

INLINE void dft2(cplx *x) {
    cplx a = x[0];
    x[0] = add(a, x[1]);
    x[1] = sub(a, x[1]);
}

INLINE void dft4(cplx *x, const int dir) {
    cplx a = add(x[0], x[2]), b = sub(x[0], x[2]);
    cplx c = add(x[1], x[3]), d = quarter(sub(x[1], x[3]), dir);
    x[0] = add(a, c);
    x[1] = add(b, d);
    x[2] = sub(a, c);
    x[3] = sub(b, d);
}

/* a * exp(-i pi/4), or its conjugate in the inverse. */
INLINE cplx eighth(cplx a, const int dir) {
    const real h = R(0.70710678118654752440);
    return dir > 0 ? CPLX(h * (a.x + a.y), h * (a.y - a.x))
                   : CPLX(h * (a.x - a.y), h * (a.y + a.x));
}
INLINE cplx three_eighths(cplx a, const int dir) {
    const real h = R(0.70710678118654752440);
    return dir > 0 ? CPLX(h * (a.y - a.x), -h * (a.x + a.y))
                   : CPLX(-h * (a.x + a.y), h * (a.x - a.y));
}

INLINE void dft8(cplx *x, const int dir) {
    cplx e[4] = {x[0], x[2], x[4], x[6]};
    cplx o[4] = {x[1], x[3], x[5], x[7]};
    dft4(e, dir);
    dft4(o, dir);
    o[1] = eighth(o[1], dir);
    o[2] = quarter(o[2], dir);
    o[3] = three_eighths(o[3], dir);
    UNROLL for (int i = 0; i < 4; i++) {
        x[i] = add(e[i], o[i]);
        x[i + 4] = sub(e[i], o[i]);
    }
}

/* 16 = 4 x 4. */
INLINE void dft16(cplx *x, const int dir) {
    const real c = R(0.92387953251128675613), s = R(0.38268343236508977173);
    cplx t[16];
    UNROLL for (int i = 0; i < 4; i++) {
        cplx y[4] = {x[i], x[i + 4], x[i + 8], x[i + 12]};
        dft4(y, dir);
        UNROLL for (int j = 0; j < 4; j++) t[4 * j + i] = y[j];
    }
    t[5] = turn(t[5], CPLX(c, -s), dir);
    t[6] = eighth(t[6], dir);
    t[7] = turn(t[7], CPLX(s, -c), dir);
    t[9] = eighth(t[9], dir);
    t[10] = quarter(t[10], dir);
    t[11] = three_eighths(t[11], dir);
    t[13] = turn(t[13], CPLX(s, -c), dir);
    t[14] = three_eighths(t[14], dir);
    t[15] = turn(t[15], CPLX(-c, s), dir);
    UNROLL for (int j = 0; j < 4; j++) {
        dft4(t + 4 * j, dir);
        UNROLL for (int i = 0; i < 4; i++) x[4 * i + j] = t[4 * j + i];
    }
}

/* Odd n: X[j] and X[n-j] from the sums x[k] + x[n-k] times cosines and the differences times sines;
 * c and s hold those of 2 pi k / n for 1 <= k <= n/2. Real parts of all results come first, so that
 * at most 3 n words are in use. */
INLINE void dft_odd(cplx *x, const int n, const real *c, const real *s, const int dir) {
    real plus[2][15], minus[2][15];
    const cplx first = x[0];
    UNROLL for (int k = 1; k <= n / 2; k++) {
        const cplx a = add(x[k], x[n - k]), b = sub(x[k], x[n - k]);
        x[0] = add(x[0], a);
        plus[0][k - 1] = a.x;
        plus[1][k - 1] = a.y;
        minus[0][k - 1] = dir > 0 ? b.y : -b.y;
        minus[1][k - 1] = dir > 0 ? -b.x : b.x;
    }
    UNROLL for (int part = 0; part < 2; part++) {
        UNROLL for (int j = 1; j <= n / 2; j++) {
            real a = part ? first.y : first.x, b = R(0);
            UNROLL for (int k = 1; k <= n / 2; k++) {
                const int m = j * k % n, near = m < n - m ? m : n - m;
                a += c[near - 1] * plus[part][k - 1];
                b += (near == m ? s[near - 1] : -s[near - 1]) * minus[part][k - 1];
            }
            if (part) {
                x[j].y = a + b;
                x[n - j].y = a - b;
            } else {
                x[j].x = a + b;
                x[n - j].x = a - b;
            }
        }
    }
}

INLINE void dft3(cplx *x, const int dir) {
    const real c[1] = {R(-0.50000000000000000000)};
    const real s[1] = {R(0.86602540378443864676)};
    dft_odd(x, 3, c, s, dir);
}

INLINE void dft5(cplx *x, const int dir) {
    const real c[2] = {R(0.30901699437494742410), R(-0.80901699437494742410)};
    const real s[2] = {R(0.95105651629515357212), R(0.58778525229247312917)};
    dft_odd(x, 5, c, s, dir);
}

INLINE void dft7(cplx *x, const int dir) {
    const real c[3] = {R(0.62348980185873353053), R(-0.22252093395631440429),
                       R(-0.90096886790241912624)};
    const real s[3] = {R(0.78183148246802980871), R(0.97492791218182360702),
                       R(0.43388373911755812048)};
    dft_odd(x, 7, c, s, dir);
}

INLINE void dft11(cplx *x, const int dir) {
    const real c[5] = {R(0.84125353283118116886), R(0.41541501300188642553),
                       R(-0.14231483827328514044), R(-0.65486073394528506406),
                       R(-0.95949297361449738989)};
    const real s[5] = {R(0.54064081745559758211), R(0.90963199535451837141),
                       R(0.98982144188093273238), R(0.75574957435425828377),
                       R(0.28173255684142969771)};
    dft_odd(x, 11, c, s, dir);
}

INLINE void dft13(cplx *x, const int dir) {
    const real c[6] = {R(0.88545602565320989590),  R(0.56806474673115580251),
                       R(0.12053668025532305335),  R(-0.35460488704253562597),
                       R(-0.74851074817110109863), R(-0.97094181742605202716)};
    const real s[6] = {R(0.46472317204376854566), R(0.82298386589365639458),
                       R(0.99270887409805399280), R(0.93501624268541482344),
                       R(0.66312265824079520238), R(0.23931566428755776715)};
    dft_odd(x, 13, c, s, dir);
}

INLINE void dft17(cplx *x, const int dir) {
    const real c[8] = {R(0.93247222940435580457),  R(0.73900891722065911592),
                       R(0.44573835577653826740),  R(0.092268359463301995240),
                       R(-0.27366299007208286354), R(-0.60263463637925638918),
                       R(-0.85021713572961415213), R(-0.98297309968390177828)};
    const real s[8] = {R(0.36124166618715294874), R(0.67369564364655721171),
                       R(0.89516329135506232207), R(0.99573417629503452187),
                       R(0.96182564317281907041), R(0.79801722728023950333),
                       R(0.52643216287735580024), R(0.18374951781657033157)};
    dft_odd(x, 17, c, s, dir);
}

INLINE void dft19(cplx *x, const int dir) {
    const real c[9] = {
        R(0.94581724170063467902),  R(0.78914050939639359922),   R(0.54694815812242687471),
        R(0.24548548714079914892),  R(-0.082579345472332324600), R(-0.40169542465296945752),
        R(-0.67728157162574107476), R(-0.87947375120648907139),  R(-0.98636130340272237360)};
    const real s[9] = {
        R(0.32469946920468348741), R(0.61421271268966781744), R(0.83716647826252857481),
        R(0.96940026593933041674), R(0.99658449300666984982), R(0.91577332665505743992),
        R(0.73572391067313162477), R(0.47594739303707354443), R(0.16459459028073389414)};
    dft_odd(x, 19, c, s, dir);
}

INLINE void dft23(cplx *x, const int dir) {
    const real c[11] = {
        R(0.96291728734779929502),  R(0.85441940454648855255),  R(0.68255314321865408287),
        R(0.46006503773115212604),  R(0.20345601305263378988),  R(-0.068242413364670975921),
        R(-0.33487961217098615196), R(-0.57668032211486714125), R(-0.77571129070441980704),
        R(-0.91721130150545301784), R(-0.99068594603633075234)};
    const real s[11] = {
        R(0.26979677115702427125), R(0.51958395003543357813), R(0.73083596427812410165),
        R(0.88788521840237523498), R(0.97908408768232287563), R(0.99766876919053919845),
        R(0.94226092211882049562), R(0.81696989301044201697), R(0.63108794432605278937),
        R(0.39840108984624145800), R(0.13616664909624659076)};
    dft_odd(x, 23, c, s, dir);
}

INLINE void dft29(cplx *x, const int dir) {
    const real c[14] = {
        R(0.97662055571008668321),  R(0.90757541967095705362),  R(0.79609306570564374600),
        R(0.64738628478182763918),  R(0.46840844069979013922),  R(0.26752833852922082119),
        R(0.054138908585417526150), R(-0.16178199655276472654), R(-0.37013815533991435686),
        R(-0.56118706536238236927), R(-0.72599549192313085814), R(-0.85685717616758924452),
        R(-0.94765317118280244427), R(-0.99413795715435960896)};
    const real s[14] = {
        R(0.21497044021102406718), R(0.41988910156026457697), R(0.60517421519376516592),
        R(0.76216205512763646326), R(0.88351204444602292283), R(0.96354999251922296004),
        R(0.99853341385112386457), R(0.98682652254152615177), R(0.92897671981679144179),
        R(0.82768899815689055614), R(0.68769945885342329308), R(0.51555385717702173971),
        R(0.31930153013597997320), R(0.10811901842394176303)};
    dft_odd(x, 29, c, s, dir);
}

INLINE void dft31(cplx *x, const int dir) {
    const real c[15] = {
        R(0.97952994125249449394),  R(0.91895781162023062913),   R(0.82076344120727632636),
        R(0.68896691907568656780),  R(0.52896401032696245737),   R(0.34730525284482028554),
        R(0.15142777750457666366),  R(-0.050649168838712712279), R(-0.25065253225872053931),
        R(-0.44039415155763430952), R(-0.61210598254766284415),  R(-0.75875812269279090191),
        R(-0.87434661614458211883), R(-0.95413925640004885148),  R(-0.99486932339189514632)};
    const real s[15] = {
        R(0.20129852008866007914), R(0.39435585511331858010), R(0.57126821509479227916),
        R(0.72479278722911995887), R(0.84864425749475095046), R(0.93775213214708045843),
        R(0.98846832432811139916), R(0.99871650717105280715), R(0.96807711886620430515),
        R(0.89780453957074165714), R(0.79077573693769858208), R(0.65137248272222220745),
        R(0.48530196253108102521), R(0.29936312297335795401), R(0.10116832198743217779)};
    dft_odd(x, 31, c, s, dir);
}

/* 9 = 3 x 3. */
INLINE void dft9(cplx *x, const int dir) {
    cplx t[9];
    UNROLL for (int i = 0; i < 3; i++) {
        cplx y[3] = {x[i], x[i + 3], x[i + 6]};
        dft3(y, dir);
        UNROLL for (int j = 0; j < 3; j++) t[3 * j + i] = y[j];
    }
    t[4] = turn(t[4], CPLX(R(0.76604444311897803520), R(-0.64278760968653932632)), dir);
    t[5] = turn(t[5], CPLX(R(0.17364817766693034885), R(-0.98480775301220805937)), dir);
    t[7] = turn(t[7], CPLX(R(0.17364817766693034885), R(-0.98480775301220805937)), dir);
    t[8] = turn(t[8], CPLX(R(-0.93969262078590838405), R(-0.34202014332566873304)), dir);
    UNROLL for (int j = 0; j < 3; j++) {
        dft3(t + 3 * j, dir);
        UNROLL for (int i = 0; i < 3; i++) x[3 * i + j] = t[3 * j + i];
    }
}

/* n is a constant, so one branch remains. */
INLINE void dft_simple(cplx *x, const int n, const int dir) {
    if (n == 2)
        dft2(x);
    else if (n == 3)
        dft3(x, dir);
    else if (n == 4)
        dft4(x, dir);
    else if (n == 5)
        dft5(x, dir);
    else if (n == 7)
        dft7(x, dir);
    else if (n == 9)
        dft9(x, dir);
    else if (n == 11)
        dft11(x, dir);
}

/* n = p q, coprime, needs no twiddles (Good 1958, Thomas 1963): input q i + p j, output u i + v j,
 * modulo n; u is 1 mod p and 0 mod q, v the reverse. */
INLINE void dft_coprime(cplx *x, const int p, const int q, const int u, const int v,
                        const int dir) {
    const int n = p * q;
    cplx t[22];
    UNROLL for (int j = 0; j < q; j++) {
        cplx y[5];
        UNROLL for (int i = 0; i < p; i++) y[i] = x[(q * i + p * j) % n];
        dft_simple(y, p, dir);
        UNROLL for (int i = 0; i < p; i++) t[i * q + j] = y[i];
    }
    UNROLL for (int i = 0; i < p; i++) {
        dft_simple(t + i * q, q, dir);
        UNROLL for (int j = 0; j < q; j++) x[(u * i + v * j) % n] = t[i * q + j];
    }
}

/* 25 = 5 x 5. */
INLINE void dft25(cplx *x, const int dir) {
    cplx t[25];
    UNROLL for (int i = 0; i < 5; i++) {
        cplx y[5] = {x[i], x[i + 5], x[i + 10], x[i + 15], x[i + 20]};
        dft5(y, dir);
        UNROLL for (int j = 0; j < 5; j++) t[5 * j + i] = y[j];
    }
    t[6] = turn(t[6], CPLX(R(0.96858316112863111949), R(-0.24868988716485478824)), dir);
    t[7] = turn(t[7], CPLX(R(0.87630668004386358731), R(-0.48175367410171527499)), dir);
    t[8] = turn(t[8], CPLX(R(0.72896862742141152315), R(-0.68454710592868867373)), dir);
    t[9] = turn(t[9], CPLX(R(0.53582679497899661827), R(-0.84432792550201507855)), dir);
    t[11] = turn(t[11], CPLX(R(0.87630668004386358731), R(-0.48175367410171527499)), dir);
    t[12] = turn(t[12], CPLX(R(0.53582679497899661827), R(-0.84432792550201507855)), dir);
    t[13] = turn(t[13], CPLX(R(0.062790519529313376076), R(-0.99802672842827156195)), dir);
    t[14] = turn(t[14], CPLX(R(-0.42577929156507264886), R(-0.90482705246601952771)), dir);
    t[16] = turn(t[16], CPLX(R(0.72896862742141152315), R(-0.68454710592868867373)), dir);
    t[17] = turn(t[17], CPLX(R(0.062790519529313376076), R(-0.99802672842827156195)), dir);
    t[18] = turn(t[18], CPLX(R(-0.63742398974868971018), R(-0.77051324277578923080)), dir);
    t[19] = turn(t[19], CPLX(R(-0.99211470131447783105), R(-0.12533323356430424537)), dir);
    t[21] = turn(t[21], CPLX(R(0.53582679497899661827), R(-0.84432792550201507855)), dir);
    t[22] = turn(t[22], CPLX(R(-0.42577929156507264886), R(-0.90482705246601952771)), dir);
    t[23] = turn(t[23], CPLX(R(-0.99211470131447783105), R(-0.12533323356430424537)), dir);
    t[24] = turn(t[24], CPLX(R(-0.63742398974868971018), R(0.77051324277578923080)), dir);
    UNROLL for (int j = 0; j < 5; j++) {
        dft5(t + 5 * j, dir);
        UNROLL for (int i = 0; i < 5; i++) x[5 * i + j] = t[5 * j + i];
    }
}

/* Radices of the kernel's tiles, as bits: compilers would inline all others before dropping
 * them. */
#ifndef RADICES
#define RADICES ~0u
#endif
#ifndef NEXT_RADICES
#define NEXT_RADICES 0
#endif
#define USED(n) (((RADICES) | (NEXT_RADICES)) >> (n)&1)

INLINE void dft(cplx *x, const int n, const int dir) {
    if (USED(31) && n == 31)
        dft31(x, dir);
    else if (USED(29) && n == 29)
        dft29(x, dir);
    else if (USED(25) && n == 25)
        dft25(x, dir);
    else if (USED(23) && n == 23)
        dft23(x, dir);
    else if (USED(22) && n == 22)
        dft_coprime(x, 2, 11, 11, 12, dir);
    else if (USED(20) && n == 20)
        dft_coprime(x, 4, 5, 5, 16, dir);
    else if (USED(19) && n == 19)
        dft19(x, dir);
    else if (USED(18) && n == 18)
        dft_coprime(x, 2, 9, 9, 10, dir);
    else if (USED(17) && n == 17)
        dft17(x, dir);
    else if (USED(16) && n == 16)
        dft16(x, dir);
    else if (USED(15) && n == 15)
        dft_coprime(x, 3, 5, 10, 6, dir);
    else if (USED(14) && n == 14)
        dft_coprime(x, 2, 7, 7, 8, dir);
    else if (USED(13) && n == 13)
        dft13(x, dir);
    else if (USED(12) && n == 12)
        dft_coprime(x, 3, 4, 4, 9, dir);
    else if (USED(10) && n == 10)
        dft_coprime(x, 2, 5, 5, 6, dir);
    else if (n == 8)
        dft8(x, dir);
    else if (USED(6) && n == 6)
        dft_coprime(x, 2, 3, 3, 4, dir);
    else
        dft_simple(x, n, dir);
}

#endif
