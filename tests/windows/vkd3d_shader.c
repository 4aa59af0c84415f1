/* libvkd3d-shader-1.dll for Wine, as far as gpufft calls it: the calls go to Linux's library, whose structures have the
 * same layout. Debian has no build for Windows, and Wine 10's own d3dcompiler_47 refuses the shaders. */

extern int vkd3d_shader_compile(const void *info, void *code, char **messages);
extern void vkd3d_shader_free_shader_code(void *code);
extern void vkd3d_shader_free_messages(char *messages);
extern const char *vkd3d_shader_get_version(unsigned *major, unsigned *minor);

#define WINDOWS __attribute__((ms_abi))

WINDOWS int compile(const void *info, void *code, char **messages) {
    return vkd3d_shader_compile(info, code, messages);
}

WINDOWS void free_code(void *code) {
    vkd3d_shader_free_shader_code(code);
}

WINDOWS void free_messages(char *messages) {
    vkd3d_shader_free_messages(messages);
}

WINDOWS const char *version(unsigned *major, unsigned *minor) {
    return vkd3d_shader_get_version(major, minor);
}
