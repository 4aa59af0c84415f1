/* Straight-line DFTs in registers, as in kernels/radix.h, in place and in natural order. Points are
 * parameters, one each: drivers keep an array whose index they do not resolve in memory. DIR is 1
 * forward, -1 inverse. */

/* Each takes the next one's value, the last that of the first. */
void rotate(inout cplx a, inout cplx b) {
    const cplx first = a;
    a = b;
    b = first;
}
void rotate(inout cplx a, inout cplx b, inout cplx c, inout cplx d) {
    const cplx first = a;
    a = b;
    b = c;
    c = d;
    d = first;
}

/* Odd n: Y[j], Y[n-j] = a + b, a - b, with a the sums y[k] + y[n-k] times cosines and b the
 * differences times sines, a quarter turned. */
void sum_and_difference(inout cplx a, inout cplx b) {
    const cplx turned = quarter(b, DIR), sum = a;
    a = sum + turned;
    b = sum - turned;
}

void dft2(inout cplx a, inout cplx b) {
    const cplx c = a;
    a = c + b;
    b = c - b;
}

void dft3(inout cplx y0, inout cplx y1, inout cplx y2) {
    const cplx plus = y1 + y2, minus = y1 - y2;
    y1 = y0 - 0.5 * plus;
    y2 = 0.86602540378443864676 * minus;
    y0 += plus;
    sum_and_difference(y1, y2);
}

void dft4(inout cplx a, inout cplx b, inout cplx c, inout cplx d) {
    const cplx e = a + c, f = a - c, g = b + d, h = quarter(b - d, DIR);
    a = e + g;
    b = f + h;
    c = e - g;
    d = f - h;
}

void dft5(inout cplx y0, inout cplx y1, inout cplx y2, inout cplx y3, inout cplx y4) {
    const real c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
    const real s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
    const cplx p1 = y1 + y4, m1 = y1 - y4, p2 = y2 + y3, m2 = y2 - y3;
    y1 = y0 + c1 * p1 + c2 * p2;
    y4 = s1 * m1 + s2 * m2;
    y2 = y0 + c2 * p1 + c1 * p2;
    y3 = s2 * m1 - s1 * m2;
    y0 = y0 + p1 + p2;
    sum_and_difference(y1, y4);
    sum_and_difference(y2, y3);
}

void dft7(inout cplx y0, inout cplx y1, inout cplx y2, inout cplx y3, inout cplx y4,
          inout cplx y5, inout cplx y6) {
    const real c1 = 0.62348980185873353053, s1 = 0.78183148246802980871;
    const real c2 = -0.22252093395631440429, s2 = 0.97492791218182360702;
    const real c3 = -0.90096886790241912624, s3 = 0.43388373911755812048;
    const cplx p1 = y1 + y6, m1 = y1 - y6, p2 = y2 + y5, m2 = y2 - y5, p3 = y3 + y4, m3 = y3 - y4;
    y1 = y0 + c1 * p1 + c2 * p2 + c3 * p3;
    y6 = s1 * m1 + s2 * m2 + s3 * m3;
    y2 = y0 + c2 * p1 + c3 * p2 + c1 * p3;
    y5 = s2 * m1 - s3 * m2 - s1 * m3;
    y3 = y0 + c3 * p1 + c1 * p2 + c2 * p3;
    y4 = s3 * m1 - s1 * m2 + s2 * m3;
    y0 = y0 + p1 + p2 + p3;
    sum_and_difference(y1, y6);
    sum_and_difference(y2, y5);
    sum_and_difference(y3, y4);
}

/* a * exp(-i pi/4), or its conjugate in the inverse; and the cube. */
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

/* n = p p: columns of p points, twiddles, rows of p points; element p i + j has result p j + i. */
void dft9(inout cplx x0, inout cplx x1, inout cplx x2, inout cplx x3, inout cplx x4,
          inout cplx x5, inout cplx x6, inout cplx x7, inout cplx x8) {
    const cplx w1 = cplx(0.76604444311897803520, -0.64278760968653932632);
    const cplx w2 = cplx(0.17364817766693034885, -0.98480775301220805937);
    const cplx w4 = cplx(-0.93969262078590838405, -0.34202014332566873304);
    dft3(x0, x3, x6);
    dft3(x1, x4, x7);
    dft3(x2, x5, x8);
    x4 = turn(x4, w1, DIR);
    x5 = turn(x5, w2, DIR);
    x7 = turn(x7, w2, DIR);
    x8 = turn(x8, w4, DIR);
    dft3(x0, x1, x2);
    dft3(x3, x4, x5);
    dft3(x6, x7, x8);
    rotate(x1, x3);
    rotate(x2, x6);
    rotate(x5, x7);
}

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
    rotate(x1, x4);
    rotate(x2, x8);
    rotate(x3, x12);
    rotate(x6, x9);
    rotate(x7, x13);
    rotate(x11, x14);
}

void dft25(inout cplx x0, inout cplx x1, inout cplx x2, inout cplx x3, inout cplx x4,
           inout cplx x5, inout cplx x6, inout cplx x7, inout cplx x8, inout cplx x9,
           inout cplx x10, inout cplx x11, inout cplx x12, inout cplx x13, inout cplx x14,
           inout cplx x15, inout cplx x16, inout cplx x17, inout cplx x18, inout cplx x19,
           inout cplx x20, inout cplx x21, inout cplx x22, inout cplx x23, inout cplx x24) {
    const cplx w1 = cplx(0.96858316112863111949, -0.24868988716485478824);
    const cplx w2 = cplx(0.87630668004386358731, -0.48175367410171527499);
    const cplx w3 = cplx(0.72896862742141152315, -0.68454710592868867373);
    const cplx w4 = cplx(0.53582679497899661827, -0.84432792550201507855);
    const cplx w6 = cplx(0.062790519529313376076, -0.99802672842827156195);
    const cplx w8 = cplx(-0.42577929156507264886, -0.90482705246601952771);
    const cplx w9 = cplx(-0.63742398974868971018, -0.77051324277578923080);
    const cplx w12 = cplx(-0.99211470131447783105, -0.12533323356430424537);
    const cplx w16 = cplx(-0.63742398974868971018, 0.77051324277578923080);
    dft5(x0, x5, x10, x15, x20);
    dft5(x1, x6, x11, x16, x21);
    dft5(x2, x7, x12, x17, x22);
    dft5(x3, x8, x13, x18, x23);
    dft5(x4, x9, x14, x19, x24);
    x6 = turn(x6, w1, DIR);
    x7 = turn(x7, w2, DIR);
    x8 = turn(x8, w3, DIR);
    x9 = turn(x9, w4, DIR);
    x11 = turn(x11, w2, DIR);
    x12 = turn(x12, w4, DIR);
    x13 = turn(x13, w6, DIR);
    x14 = turn(x14, w8, DIR);
    x16 = turn(x16, w3, DIR);
    x17 = turn(x17, w6, DIR);
    x18 = turn(x18, w9, DIR);
    x19 = turn(x19, w12, DIR);
    x21 = turn(x21, w4, DIR);
    x22 = turn(x22, w8, DIR);
    x23 = turn(x23, w12, DIR);
    x24 = turn(x24, w16, DIR);
    dft5(x0, x1, x2, x3, x4);
    dft5(x5, x6, x7, x8, x9);
    dft5(x10, x11, x12, x13, x14);
    dft5(x15, x16, x17, x18, x19);
    dft5(x20, x21, x22, x23, x24);
    rotate(x1, x5);
    rotate(x2, x10);
    rotate(x3, x15);
    rotate(x4, x20);
    rotate(x7, x11);
    rotate(x8, x16);
    rotate(x9, x21);
    rotate(x13, x17);
    rotate(x14, x22);
    rotate(x19, x23);
}

/* n = p q, coprime, needs no twiddles (Good 1958, Thomas 1963): DFTs of elements q i + p j over i,
 * then over j, leave result k m at element m, modulo n, k being 1 / q modulo p and 1 / p modulo
 * q. */
void dft6(inout cplx x0, inout cplx x1, inout cplx x2, inout cplx x3, inout cplx x4,
          inout cplx x5) {
    dft2(x0, x3);
    dft2(x2, x5);
    dft2(x4, x1);
    dft3(x0, x2, x4);
    dft3(x3, x5, x1);
    /* k = 5 */
    rotate(x1, x5);
    rotate(x2, x4);
}

void dft10(inout cplx x0, inout cplx x1, inout cplx x2, inout cplx x3, inout cplx x4,
           inout cplx x5, inout cplx x6, inout cplx x7, inout cplx x8, inout cplx x9) {
    dft2(x0, x5);
    dft2(x2, x7);
    dft2(x4, x9);
    dft2(x6, x1);
    dft2(x8, x3);
    dft5(x0, x2, x4, x6, x8);
    dft5(x5, x7, x9, x1, x3);
    /* k = 3 */
    rotate(x1, x7, x9, x3);
    rotate(x2, x4, x8, x6);
}

void dft12(inout cplx x0, inout cplx x1, inout cplx x2, inout cplx x3, inout cplx x4,
           inout cplx x5, inout cplx x6, inout cplx x7, inout cplx x8, inout cplx x9,
           inout cplx x10, inout cplx x11) {
    dft3(x0, x4, x8);
    dft3(x3, x7, x11);
    dft3(x6, x10, x2);
    dft3(x9, x1, x5);
    dft4(x0, x3, x6, x9);
    dft4(x4, x7, x10, x1);
    dft4(x8, x11, x2, x5);
    /* k = 7 */
    rotate(x1, x7);
    rotate(x3, x9);
    rotate(x5, x11);
}

void dft15(inout cplx x0, inout cplx x1, inout cplx x2, inout cplx x3, inout cplx x4,
           inout cplx x5, inout cplx x6, inout cplx x7, inout cplx x8, inout cplx x9,
           inout cplx x10, inout cplx x11, inout cplx x12, inout cplx x13, inout cplx x14) {
    dft3(x0, x5, x10);
    dft3(x3, x8, x13);
    dft3(x6, x11, x1);
    dft3(x9, x14, x4);
    dft3(x12, x2, x7);
    dft5(x0, x3, x6, x9, x12);
    dft5(x5, x8, x11, x14, x2);
    dft5(x10, x13, x1, x4, x7);
    /* k = 2 */
    rotate(x1, x8, x4, x2);
    rotate(x3, x9, x12, x6);
    rotate(x5, x10);
    rotate(x7, x11, x13, x14);
}

void dft20(inout cplx x0, inout cplx x1, inout cplx x2, inout cplx x3, inout cplx x4,
           inout cplx x5, inout cplx x6, inout cplx x7, inout cplx x8, inout cplx x9,
           inout cplx x10, inout cplx x11, inout cplx x12, inout cplx x13, inout cplx x14,
           inout cplx x15, inout cplx x16, inout cplx x17, inout cplx x18, inout cplx x19) {
    dft4(x0, x5, x10, x15);
    dft4(x4, x9, x14, x19);
    dft4(x8, x13, x18, x3);
    dft4(x12, x17, x2, x7);
    dft4(x16, x1, x6, x11);
    dft5(x0, x4, x8, x12, x16);
    dft5(x5, x9, x13, x17, x1);
    dft5(x10, x14, x18, x2, x6);
    dft5(x15, x19, x3, x7, x11);
    /* k = 9 */
    rotate(x1, x9);
    rotate(x2, x18);
    rotate(x3, x7);
    rotate(x4, x16);
    rotate(x6, x14);
    rotate(x8, x12);
    rotate(x11, x19);
    rotate(x13, x17);
}
