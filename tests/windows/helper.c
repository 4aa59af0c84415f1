/* Stands for other programs in the tests of gpufft.exe:
 *
 *     helper hold FILE                     opens it, shared with nobody, until stdin ends
 *     helper interrupt MS PROGRAM ARG...   presses Ctrl-C so long after the program's start; exits as the program does
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static int hold(const char *path) {
    HANDLE h = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (h == INVALID_HANDLE_VALUE)
        return 1;
    puts("held");
    fflush(stdout);
    while (getchar() != EOF) {
    }
    CloseHandle(h);
    return 0;
}

static BOOL WINAPI ignore(DWORD event) {
    (void)event;
    return TRUE;
}

static int interrupt(int ms, int argc, char **argv) {
    char line[4096] = "";
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    DWORD code = 1;
    for (int i = 0; i < argc; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s\"%s\"", i ? " " : "",
                 argv[i]);
    if (!GetConsoleCP())
        AllocConsole();
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child))
        return 1;
    SetConsoleCtrlHandler(ignore, TRUE);
    Sleep((DWORD)ms);
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0))
        fprintf(stderr, "helper: no console: %lu\n", GetLastError());
    WaitForSingleObject(child.hProcess, INFINITE);
    GetExitCodeProcess(child.hProcess, &code);
    return (int)code;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "hold"))
        return hold(argv[2]);
    if (argc > 3 && !strcmp(argv[1], "interrupt"))
        return interrupt(atoi(argv[2]), argc - 3, argv + 3);
    return 2;
}
