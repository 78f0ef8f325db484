// The fused steps on a GPU: one thread per element that is written, one per joint for Euler steps.
//
// `real` is defined as float or double before this text. Arrays are (B, H, D) in C order, those of
// the start (B, D). Sums and products come in the order of the NumPy code, so that the numbers do.

struct Place { int b, h, d; bool is_there; };

// Neighbouring threads have neighbouring joints, or with `by_time` neighbouring samples.
__device__ Place place(int B, int H, int D, int by_time) {
    long at = (long)blockIdx.x * blockDim.x + threadIdx.x;
    Place found;
    found.is_there = at < (long)B * H * D;
    if (by_time) {
        found.h = at % H; found.d = at / H % D; found.b = at / H / D;
    } else {
        found.d = at % D; found.h = at / D % H; found.b = at / D / H;
    }
    return found;
}

__device__ long index(int b, int h, int d, int H, int D) { return ((long)b * H + h) * D + d; }

// Backward differences ---------------------------------------------------------------------------

struct Backward {
    const real *u; real q_0, v_0, a_0, s; int b, d, H, D;
    __device__ real p(int h) const { return h > 0 ? u[index(b, h - 1, d, H, D)] : q_0; }
    __device__ real v(int h) const { return h > 0 ? (p(h) - p(h - 1)) * s : v_0; }
    __device__ real a(int h) const { return h > 0 ? (v(h) - v(h - 1)) * s : a_0; }
    __device__ real j(int h) const { return h > 0 ? (a(h) - a(h - 1)) * s : (real)0; }
};

extern "C" __global__ void backward_forward(
        const real *u, const real *q_0, const real *v_0, const real *a_0, real s,
        real *p, real *v, real *a, real *j, int B, int H, int D, int by_time) {
    Place at = place(B, H, D, by_time);
    if (!at.is_there) return;
    long row = (long)at.b * D + at.d, to = index(at.b, at.h, at.d, H, D);
    Backward step = {u, q_0[row], v_0[row], a_0[row], s, at.b, at.d, H, D};
    p[to] = step.p(at.h); v[to] = step.v(at.h); a[to] = step.a(at.h); j[to] = step.j(at.h);
}

struct BackwardAdjoint {
    const real *gp, *gv, *ga, *gj; real s; int b, d, H, D;  // a null pointer: zeros
    __device__ real at(const real *g, int h) const {
        return g && h < H ? g[index(b, h, d, H, D)] : (real)0;
    }
    __device__ real a(int h) const { return (at(gj, h) - at(gj, h + 1)) * s + at(ga, h); }
    __device__ real v(int h) const { return (a(h) - a(h + 1)) * s + at(gv, h); }
    __device__ real p(int h) const { return (v(h) - v(h + 1)) * s + at(gp, h); }
};

extern "C" __global__ void backward_adjoint(
        const real *gp, const real *gv, const real *ga, const real *gj, real s, real *out,
        int B, int H, int D, int by_time) {
    Place at = place(B, H, D, by_time);
    if (!at.is_there) return;
    BackwardAdjoint step = {gp, gv, ga, gj, s, at.b, at.d, H, D};
    out[index(at.b, at.h, at.d, H, D)] = at.h < H - 1 ? step.p(at.h + 1) : (real)0;
}

// Central differences ----------------------------------------------------------------------------

struct Central {
    const real *u; real q_0, v_0, a_0, s; int b, d, A, D;
    __device__ real x(int k) const {  // k = 0 is the first ghost, two before sample 0
        real step = 1 / s, half = (real)1.5 / (s * s);
        if (k == 0) return q_0 - 3 * step * v_0 - half * a_0;
        if (k == 1) return q_0 - 2 * step * v_0 - 2 * step * step * a_0;
        if (k == 2) return q_0 - step * v_0 - half * a_0;
        if (k == 3) return q_0;
        return u[index(b, min(k - 4, A - 1), d, A, D)];
    }
};

extern "C" __global__ void central_forward(
        const real *u, const real *q_0, const real *v_0, const real *a_0, real s,
        real *p, real *v, real *a, real *j, int B, int H, int D, int by_time) {
    Place at = place(B, H, D, by_time);
    if (!at.is_there) return;
    long row = (long)at.b * D + at.d, to = index(at.b, at.h, at.d, H, D);
    Central step = {u, q_0[row], v_0[row], a_0[row], s, at.b, at.d, H - 4, D};
    real x[5];
    for (int i = 0; i < 5; i++) x[i] = step.x(at.h + i);
    real far = x[4] - x[0], near = x[3] - x[1];
    p[to] = x[2];
    v[to] = (near * 8 - far) * (s / 12);
    j[to] = (far - near * 2) * (s * s * s / 2);
    a[to] = ((x[3] + x[1]) * 16 - (x[4] + x[0]) - x[2] * 30) * (s * s / 12);
}

struct CentralAdjoint {
    const real *gp, *gv, *ga, *gj; real s; int b, d, H, D;
    __device__ real at(const real *g, int h) const {
        return g && h >= 0 && h < H ? g[index(b, h, d, H, D)] : (real)0;
    }
    __device__ real x(int k) const {  // the windows around samples k − 4 to k hold position k
        const real one = s / 12, two = s * s / 12, three = s * s * s / 2;
        return at(gp, k - 2)
            + one * (at(gv, k) - 8 * at(gv, k - 1) + 8 * at(gv, k - 3) - at(gv, k - 4))
            + two * (16 * (at(ga, k - 1) + at(ga, k - 3)) - at(ga, k) - at(ga, k - 4)
                     - 30 * at(ga, k - 2))
            + three * (2 * at(gj, k - 1) - at(gj, k) - 2 * at(gj, k - 3) + at(gj, k - 4));
    }
};

extern "C" __global__ void central_adjoint(
        const real *gp, const real *gv, const real *ga, const real *gj, real s, real *out,
        int B, int H, int D, int by_time) {
    int A = H - 4;
    Place at = place(B, A, D, by_time);
    if (!at.is_there) return;
    CentralAdjoint step = {gp, gv, ga, gj, s, at.b, at.d, H, D};
    real sum = step.x(at.h + 4);
    if (at.h == A - 1) for (int k = A + 4; k < A + 8; k++) sum += step.x(k);
    out[index(at.b, at.h, at.d, A, D)] = sum;
}

// Semi-implicit Euler steps: what is summed is summed in order, so a thread does a whole joint ----

extern "C" __global__ void euler_forward(
        const real *u, const real *q_0, const real *v_0, const real *a_0, const real *steps,
        real *p, real *v, real *a, real *j, int B, int H, int D, int by_time) {
    Place at = place(B, 1, D, by_time);
    if (!at.is_there) return;
    long row = (long)at.b * D + at.d;
    real q = q_0[row], w = v_0[row], b = a_0[row];
    for (int h = 0; h < H; h++) {
        long to = index(at.b, h, at.d, H, D);
        real before = b;
        if (h > 0) {
            b = u[index(at.b, h - 1, at.d, H, D)];
            w = w + b * steps[h];
            q = q + w * steps[h];
        }
        p[to] = q; v[to] = w; a[to] = b; j[to] = h > 0 ? (b - before) / steps[h] : (real)0;
    }
}

extern "C" __global__ void euler_adjoint(
        const real *gp, const real *gv, const real *ga, const real *gj, const real *steps,
        real *out, int B, int H, int D, int by_time) {
    Place at = place(B, 1, D, by_time);
    if (!at.is_there) return;
    real of_p = 0, of_v = 0, later = 0;
    out[index(at.b, H - 1, at.d, H, D)] = 0;
    for (int h = H - 1; h > 0; h--) {
        long from = index(at.b, h, at.d, H, D);
        if (gp) of_p += gp[from];
        of_v += of_p * steps[h] + (gv ? gv[from] : (real)0);
        real jerk = gj ? gj[from] / steps[h] : (real)0;
        out[index(at.b, h - 1, at.d, H, D)]
            = (ga ? ga[from] : (real)0) + of_v * steps[h] + jerk - later;
        later = jerk;
    }
}
