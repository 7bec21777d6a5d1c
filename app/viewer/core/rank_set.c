#include "app/viewer/core/rank_set.h"

static bool bit_of(const uint64_t *bits, int worker)
{
    return bits[worker / 64] >> worker % 64 & 1;
}

static void bit_set(uint64_t *bits, int worker, bool on)
{
    uint64_t bit = UINT64_C(1) << worker % 64;
    bits[worker / 64] = on ? bits[worker / 64] | bit : bits[worker / 64] & ~bit;
}

bool rank_set_is_out(const struct rank_set *set, int worker)
{
    return bit_of(set->out, worker);
}

void rank_set_put(struct rank_set *set, int worker, bool out)
{
    bit_set(set->out, worker, out);
}

bool rank_set_arrivals(struct rank_set *set, const deepfield_live_state *state,
                       bool (*leaves_out)(const void *owner, int worker), const void *owner)
{
    bool changed = false;
    for (int w = 0; w < state->workers; w++) {
        bool alive = state->worker[w].alive, out = leaves_out && leaves_out(owner, w);
        if (alive && !bit_of(set->alive, w) && rank_set_is_out(set, w) != out) {
            rank_set_put(set, w, out);
            changed = true;
        }
        bit_set(set->alive, w, alive);
    }
    return changed;
}
