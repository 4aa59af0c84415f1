/* Hoare's selection. */
#include "core/spectrum/select.h"

float gf_select_float(float *v, int64_t n, int64_t k) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        float pivot = v[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                float t = v[i];
                v[i++] = v[j];
                v[j--] = t;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return v[k];
}
