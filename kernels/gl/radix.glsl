/* Straight-line DFTs of points held in registers, as kernels/radix.h has them. GLSL passes no part of
 * an array: the points are the invocation's own x[], and functions are given where they begin. All
 * indices are constants once loops are unrolled. DIR is 1 forward, -1 inverse. */

cplx x[HELD]; /* points that an invocation holds */
cplx y[7];    /* operands of a small DFT */
cplx t[25];   /* and what is between the two steps of a composite one */

/* exp(-2 pi i k / n) for the products of indices below the factors of n. */
const cplx root9[5] = cplx[](cplx(1, 0), cplx(0.76604444311897803520, -0.64278760968653932632),
                             cplx(0.17364817766693034885, -0.98480775301220805937), cplx(1, 0),
                             cplx(-0.93969262078590838405, -0.34202014332566873304));
const cplx root25[17] = cplx[](
    cplx(1, 0), cplx(0.96858316112863111949, -0.24868988716485478824),
    cplx(0.87630668004386358731, -0.48175367410171527499),
    cplx(0.72896862742141152315, -0.68454710592868867373),
    cplx(0.53582679497899661827, -0.84432792550201507855), cplx(1, 0),
    cplx(0.062790519529313376076, -0.99802672842827156195), cplx(1, 0),
    cplx(-0.42577929156507264886, -0.90482705246601952771),
    cplx(-0.63742398974868971018, -0.77051324277578923080), cplx(1, 0), cplx(1, 0),
    cplx(-0.99211470131447783105, -0.12533323356430424537), cplx(1, 0), cplx(1, 0), cplx(1, 0),
    cplx(-0.63742398974868971018, 0.77051324277578923080));

const real cos5[3] = real[](1, 0.30901699437494742410, -0.80901699437494742410);
const real sin5[3] = real[](0, 0.95105651629515357212, 0.58778525229247312917);
const real cos7[4] = real[](1, 0.62348980185873353053, -0.22252093395631440429,
                            -0.90096886790241912624);
const real sin7[4] = real[](0, 0.78183148246802980871, 0.97492791218182360702,
                            0.43388373911755812048);

real cosine(const int n, const int k) {
    const int m = 2 * k > n ? n - k : k;
    return n == 3 ? (m == 0 ? 1.0 : -0.5) : n == 5 ? cos5[m] : cos7[m];
}
real sine(const int n, const int k) {
    const int m = 2 * k > n ? n - k : k;
    const real s = n == 3 ? (m == 0 ? 0.0 : 0.86602540378443864676) : n == 5 ? sin5[m] : sin7[m];
    return 2 * k > n ? -s : s;
}

/* Odd n: Y[j] and Y[n-j] from the sums y[k] + y[n-k] against cosines and the differences against
 * sines. */
void dft_odd(const int n) {
    cplx plus[3], minus[3], first = y[0];
    for (int k = 1; k <= n / 2; k++) {
        plus[k - 1] = y[k] + y[n - k];
        minus[k - 1] = y[k] - y[n - k];
        y[0] += plus[k - 1];
    }
    for (int j = 1; j <= n / 2; j++) {
        cplx a = first, b = cplx(0, 0);
        for (int k = 1; k <= n / 2; k++) {
            a += cosine(n, j * k % n) * plus[k - 1];
            b += sine(n, j * k % n) * minus[k - 1];
        }
        b = quarter(b, DIR);
        y[j] = a + b;
        y[n - j] = a - b;
    }
}

/* The powers of two have variables of their own, which compilers keep in registers more readily than
 * they do an array's elements. */
void dft2(inout cplx a, inout cplx b) {
    const cplx c = a;
    a = c + b;
    b = c - b;
}

void dft4(inout cplx a, inout cplx b, inout cplx c, inout cplx d) {
    const cplx e = a + c, f = a - c, g = b + d, h = quarter(b - d, DIR);
    a = e + g;
    b = f + h;
    c = e - g;
    d = f - h;
}

void exchange_two(inout cplx a, inout cplx b) {
    const cplx c = a;
    a = b;
    b = c;
}

/* a * exp(-i pi/4), its conjugate in the inverse direction; and the cube of that. */
cplx eighth(cplx a) {
    const real h = 0.70710678118654752440;
    return DIR > 0 ? h * cplx(a.x + a.y, a.y - a.x) : h * cplx(a.x - a.y, a.y + a.x);
}
cplx three_eighths(cplx a) {
    const real h = 0.70710678118654752440;
    return DIR > 0 ? h * cplx(a.y - a.x, -a.x - a.y) : h * cplx(-a.x - a.y, a.x - a.y);
}

void dft8(inout cplx a, inout cplx b, inout cplx c, inout cplx d, inout cplx e, inout cplx f,
          inout cplx g, inout cplx h) {
    cplx e0 = a, e1 = c, e2 = e, e3 = g, o0 = b, o1 = d, o2 = f, o3 = h;
    dft4(e0, e1, e2, e3);
    dft4(o0, o1, o2, o3);
    o1 = eighth(o1);
    o2 = quarter(o2, DIR);
    o3 = three_eighths(o3);
    a = e0 + o0;
    b = e1 + o1;
    c = e2 + o2;
    d = e3 + o3;
    e = e0 - o0;
    f = e1 - o1;
    g = e2 - o2;
    h = e3 - o3;
}

/* 16 = 4 x 4. */
void dft16(inout cplx x0, inout cplx x1, inout cplx x2, inout cplx x3, inout cplx x4,
           inout cplx x5, inout cplx x6, inout cplx x7, inout cplx x8, inout cplx x9,
           inout cplx x10, inout cplx x11, inout cplx x12, inout cplx x13, inout cplx x14,
           inout cplx x15) {
    const real c = 0.92387953251128675613, s = 0.38268343236508977173;
    dft4(x0, x4, x8, x12);
    dft4(x1, x5, x9, x13);
    dft4(x2, x6, x10, x14);
    dft4(x3, x7, x11, x15);
    x5 = turn(x5, cplx(c, -s), DIR);
    x6 = eighth(x6);
    x7 = turn(x7, cplx(s, -c), DIR);
    x9 = eighth(x9);
    x10 = quarter(x10, DIR);
    x11 = three_eighths(x11);
    x13 = turn(x13, cplx(s, -c), DIR);
    x14 = three_eighths(x14);
    x15 = turn(x15, cplx(-c, s), DIR);
    dft4(x0, x1, x2, x3);
    dft4(x4, x5, x6, x7);
    dft4(x8, x9, x10, x11);
    dft4(x12, x13, x14, x15);
    /* Element 4 i + j has result 4 j + i. */
    exchange_two(x1, x4);
    exchange_two(x2, x8);
    exchange_two(x3, x12);
    exchange_two(x6, x9);
    exchange_two(x7, x13);
    exchange_two(x11, x14);
}

/* Of y[0] to y[n - 1]. */
void dft_small(const int n) {
    if (n == 2)
        dft2(y[0], y[1]);
    else if (n == 4)
        dft4(y[0], y[1], y[2], y[3]);
    else if (n > 1)
        dft_odd(n);
}

cplx root_of_radix(const int n, const int k) {
    return n == 9 ? root9[k] : root25[k];
}

/* n = p q: columns of p points, twiddles, rows of q points. */
void dft_composite(const int o, const int p, const int q) {
    for (int i = 0; i < q; i++) {
        for (int j = 0; j < p; j++)
            y[j] = x[o + i + q * j];
        dft_small(p);
        for (int j = 0; j < p; j++)
            t[j * q + i] = i * j == 0 ? y[j] : turn(y[j], root_of_radix(p * q, i * j), DIR);
    }
    for (int j = 0; j < p; j++) {
        for (int i = 0; i < q; i++)
            y[i] = t[j * q + i];
        dft_small(q);
        for (int i = 0; i < q; i++)
            x[o + p * i + j] = y[i];
    }
}

/* n = p q without a common factor needs no twiddles (Good 1958, Thomas 1963): input q i + p j and
 * output u i + v j, modulo n, where u is 1 mod p and 0 mod q, v the other way round. */
void dft_coprime(const int o, const int p, const int q, const int u, const int v) {
    for (int j = 0; j < q; j++) {
        for (int i = 0; i < p; i++)
            y[i] = x[o + (q * i + p * j) % (p * q)];
        dft_small(p);
        for (int i = 0; i < p; i++)
            t[i * q + j] = y[i];
    }
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < q; j++)
            y[j] = t[i * q + j];
        dft_small(q);
        for (int j = 0; j < q; j++)
            x[o + (u * i + v * j) % (p * q)] = y[j];
    }
}

/* Of x[o] to x[o + n - 1], in place and in natural order, where n is neither of 2, 4, 8 and 16. */
void dft(const int o, const int n) {
    if (n == 25) {
        dft_composite(o, 5, 5);
    } else if (n == 20) {
        dft_coprime(o, 4, 5, 5, 16);
    } else if (n == 15) {
        dft_coprime(o, 3, 5, 10, 6);
    } else if (n == 12) {
        dft_coprime(o, 3, 4, 4, 9);
    } else if (n == 10) {
        dft_coprime(o, 2, 5, 5, 6);
    } else if (n == 9) {
        dft_composite(o, 3, 3);
    } else if (n == 6) {
        dft_coprime(o, 2, 3, 3, 4);
    } else {
        for (int k = 0; k < n; k++)
            y[k] = x[o + k];
        dft_small(n);
        for (int k = 0; k < n; k++)
            x[o + k] = y[k];
    }
}
