/* The items of a group, each on a stack of its own: one runs until it ends or reaches a barrier, then the next
 * does. What a kernel may not touch ends the launch as it does on a device. */
#include "tests/gpu/fake/fake.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ITEMS = 1024, STACK = 1 << 17, FAULTS = 3 };

static struct fake_group now;
static const struct fake_launch *running;
static sigjmp_buf failed;
static bool ended[ITEMS];
static unsigned item; /* that runs */
static char *stacks;

/* ---- from stack to stack ---- */

#ifdef __x86_64__

static void *scheduler, *place[ITEMS];

/* Leaves the stack, whose top goes to *from, for another one. */
void fake_switch(void **from, void *to);
__asm__(".text\n"
        ".hidden fake_switch\n"
        ".globl fake_switch\n"
        "fake_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\n"
        "mov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\n"
        "ret\n");

static void leave(void) {
    fake_switch(&place[item], scheduler);
}

static void resume(void) {
    fake_switch(&scheduler, place[item]);
}

static void prepare(unsigned i, void (*begin)(void)) {
    enum { SAVED = 6 };
    void **top = (void **)(stacks + (size_t)(i + 1) * STACK) - 1;
    top[0] = NULL; /* where begin() would return to */
    memcpy(&top[-1], &begin, sizeof begin);
    memset(&top[-1 - SAVED], 0, SAVED * sizeof *top);
    place[i] = &top[-1 - SAVED];
}

#else

#include <ucontext.h>

static ucontext_t scheduler, place[ITEMS];

static void leave(void) {
    swapcontext(&place[item], &scheduler);
}

static void resume(void) {
    swapcontext(&scheduler, &place[item]);
}

static void prepare(unsigned i, void (*begin)(void)) {
    getcontext(&place[i]);
    place[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
    place[i].uc_stack.ss_size = STACK;
    place[i].uc_link = NULL;
    makecontext(&place[i], begin, 0);
}

#endif

/* ---- a group ---- */

static void begin(void) {
    running->call(running->arguments);
    ended[item] = true;
    leave();
}

static void trap(void) {
    siglongjmp(failed, LAUNCH_FAILED);
}

/* From barrier to barrier, forwards and backwards in turn. Whether all items reached the same one. */
static bool run_group(unsigned items, bool backwards) {
    for (unsigned i = 0; i < items; i++) {
        ended[i] = false;
        prepare(i, begin);
    }
    for (unsigned n_ended = 0; !n_ended; backwards = !backwards) {
        for (unsigned i = 0; i < items; i++) {
            item = backwards ? items - 1 - i : i;
            now.item = (struct fake_dim){item, 0, 0};
            resume();
            n_ended += ended[item];
        }
        if (n_ended && n_ended < items) {
            fake_note("a barrier that %u of %u items do not reach", n_ended, items);
            return false;
        }
    }
    return true;
}

static int run_all(const struct fake_launch *l) {
    if (l->groups.y > 1 || l->groups.z > 1 || l->items.y > 1 || l->items.z > 1)
        return NOT_SUPPORTED; /* nobody asks for it */
    for (unsigned i = 0; i < l->groups.x; i++) {
        now.group = (struct fake_dim){i, 0, 0};
        if (l->shared_bytes)
            memset(now.tile, 0xff, l->shared_bytes);
        if (!run_group(l->items.x, i % 2))
            return LAUNCH_FAILED;
    }
    return 0;
}

/* ---- a launch ---- */

static void fault(int signal, siginfo_t *info, void *context) {
    (void)context;
    fake_note("a fault at %p in item %u of group %u", info->si_addr, item, now.group.x);
    siglongjmp(failed, signal == SIGILL ? MISALIGNED : ILLEGAL_ADDRESS);
}

int fake_run_groups(const struct fake_launch *l) {
    static const int signals[FAULTS] = {SIGSEGV, SIGBUS, SIGILL};
    struct sigaction before[FAULTS];
    struct sigaction during = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO};
    char *mapping;
    size_t mapped;
    if (!stacks)
        stacks = mmap(NULL, (size_t)ITEMS * STACK, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const size_t tile = ((size_t)l->shared_bytes + 15) / 16 * 16;
    now =
        (struct fake_group){.items = l->items, .groups = l->groups, .barrier = leave, .trap = trap};
    now.tile = fake_map(tile ? tile : 16, &mapping, &mapped);
    if (stacks == MAP_FAILED || !now.tile)
        return OUT_OF_MEMORY;
    for (int i = 0; i < FAULTS; i++)
        sigaction(signals[i], &during, &before[i]);
    running = l;
    *l->group = &now;
    int code = sigsetjmp(failed, 1);
    if (!code)
        code = run_all(l);
    for (int i = 0; i < FAULTS; i++)
        sigaction(signals[i], &before[i], NULL);
    munmap(mapping, mapped);
    return code;
}
