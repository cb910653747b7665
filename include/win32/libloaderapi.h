/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libloaderapi.h - modules by name, and their functions
 *
 * The modules that have ETW's functions on Windows (advapi32, ntdll, tdh, sechost and the
 * api-ms-win-eventing sets) stand for this program with libetw and libtdh, so that
 * GetProcAddress() finds each function of theirs that the program can call, and loads the
 * shared library for one that is not linked.  Any other name is a shared library for dlopen().
 * A file opened with LOAD_LIBRARY_AS_DATAFILE is only mapped: <winmod.h> reads its resources.
 *
 * Semantics: Microsoft's pages of the functions.
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_LIBLOADERAPI_H
#define ETW_WIN32_LIBLOADERAPI_H

#include <dlfcn.h>
#include <evntprov.h>
#include <evntrace.h>
#include <ip2string.h>
#include <winmod.h>
#include <winternl.h>

ETW_BEGIN_DECLS

/* Handle of the program itself and of ETW's modules */
#define ETW_MODULE_PROGRAM	((HMODULE)(ULONG_PTR)0x400000)
/* In GetModuleHandleEx(), all of which count for nothing here */
#define GET_MODULE_HANDLE_EX_FLAG_PIN			0x1
#define GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT	0x2
#define GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS		0x4

static inline BOOL etw_module_has_etw(LPCSTR name)
{
	static const char *const begins[] = { "advapi32", "ntdll", "tdh", "sechost", "kernel32",
					      "api-ms-win-eventing-", "api-ms-win-core-",
					      "ext-ms-win-" };
	const char *base = strrchr(name, '\\');
	size_t i;

	base = base ? base + 1 : name;
	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncasecmp(base, begins[i], strlen(begins[i])))
			return TRUE;
	return FALSE;
}

static inline HMODULE GetModuleHandleA(LPCSTR lpModuleName)
{
	HMODULE module;

	if (!lpModuleName || etw_module_has_etw(lpModuleName))
		return ETW_MODULE_PROGRAM;
	module = dlopen(lpModuleName, RTLD_LAZY | RTLD_NOLOAD);
	if (module)
		dlclose(module);	/* this function takes no reference */
	else
		SetLastError(ERROR_MOD_NOT_FOUND);
	return module;
}

static inline HMODULE LoadLibraryExA(LPCSTR lpLibFileName, HANDLE hFile, DWORD dwFlags)
{
	HMODULE module;

	UNREFERENCED_PARAMETER(hFile);
	if (dwFlags & ETW_LOAD_AS_DATA)
		return etw_winmod_open(lpLibFileName);
	if (etw_module_has_etw(lpLibFileName))
		return ETW_MODULE_PROGRAM;
	module = dlopen(lpLibFileName, RTLD_NOW);
	if (!module)
		SetLastError(ERROR_MOD_NOT_FOUND);
	return module;
}

static inline HMODULE LoadLibraryA(LPCSTR lpLibFileName)
{
	return LoadLibraryExA(lpLibFileName, NULL, 0);
}

static inline BOOL FreeLibrary(HMODULE hLibModule)
{
	if (hLibModule == ETW_MODULE_PROGRAM)
		return TRUE;
	if (etw_winmod_is(hLibModule))
		return etw_winmod_close(hLibModule);
	return !dlclose(hLibModule);
}

/*
 * The functions that headers of mc.exe and consumers look up at run time: a program that is
 * linked with libetw.a and calls none of them directly has them only through this table.
 */
static inline FARPROC etw_module_provider(LPCSTR name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} table[] = {
#define ETW_MODULE_ENTRY(function)	{ #function, (void (*)(void))function }
		ETW_MODULE_ENTRY(EventRegister), ETW_MODULE_ENTRY(EventUnregister),
		ETW_MODULE_ENTRY(EventSetInformation), ETW_MODULE_ENTRY(EventEnabled),
		ETW_MODULE_ENTRY(EventProviderEnabled), ETW_MODULE_ENTRY(EventWrite),
		ETW_MODULE_ENTRY(EventWriteTransfer), ETW_MODULE_ENTRY(EventWriteEx),
		ETW_MODULE_ENTRY(EventWriteString), ETW_MODULE_ENTRY(EventActivityIdControl),
		ETW_MODULE_ENTRY(RegisterTraceGuidsA), ETW_MODULE_ENTRY(RegisterTraceGuidsW),
		ETW_MODULE_ENTRY(UnregisterTraceGuids), ETW_MODULE_ENTRY(TraceEvent),
		ETW_MODULE_ENTRY(RtlIpv4AddressToStringA), ETW_MODULE_ENTRY(RtlIpv4AddressToStringW),
		ETW_MODULE_ENTRY(RtlIpv6AddressToStringA), ETW_MODULE_ENTRY(RtlIpv6AddressToStringW),
		ETW_MODULE_ENTRY(RtlNtStatusToDosError),
#undef ETW_MODULE_ENTRY
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(name, table[i].name))
			return (FARPROC)table[i].function;
	return NULL;
}

/*
 * A function that was not linked, or only from an archive, which hides it: that of the shared
 * library, which stays loaded.  Handles of a linked libetw.a are not handles of that library.
 */
static inline FARPROC etw_module_library(LPCSTR name)
{
	BOOL tdh = !strncmp(name, "Tdh", 3);
	void *library = NULL, *function;

	if (tdh || !strncmp(name, "Event", 5) || strstr(name, "Trace"))
		library = dlopen(tdh ? "libtdh.so.0" : "libetw.so.0", RTLD_NOW);
	function = library ? dlsym(library, name) : NULL;
	if (library && !function)
		dlclose(library);
	return (FARPROC)(ULONG_PTR)function;
}

static inline FARPROC GetProcAddress(HMODULE hModule, LPCSTR lpProcName)
{
	BOOL own = hModule == ETW_MODULE_PROGRAM;
	FARPROC function = NULL;

	/* A number in place of a name, for which ELF has no table */
	if ((ULONG_PTR)lpProcName >= 0x10000 && !etw_winmod_is(hModule)) {
		function = own ? etw_module_provider(lpProcName) : NULL;
		if (!function)
			function = (FARPROC)(ULONG_PTR)dlsym(own ? NULL : hModule, lpProcName);
		if (!function && own)
			function = etw_module_library(lpProcName);
	}
	if (!function)
		SetLastError(ERROR_PROC_NOT_FOUND);
	return function;
}

static inline HMODULE GetModuleHandleW(LPCWSTR lpModuleName)
{
	char *name = lpModuleName ? etw_narrow(lpModuleName) : NULL;
	HMODULE module = !lpModuleName || name ? GetModuleHandleA(name) : NULL;

	free(name);
	return module;
}

static inline BOOL GetModuleHandleExA(DWORD dwFlags, LPCSTR lpModuleName, HMODULE *phModule)
{
	*phModule = dwFlags & GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS ? ETW_MODULE_PROGRAM :
		    GetModuleHandleA(lpModuleName);
	return *phModule != NULL;
}

static inline BOOL GetModuleHandleExW(DWORD dwFlags, LPCWSTR lpModuleName, HMODULE *phModule)
{
	*phModule = dwFlags & GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS ? ETW_MODULE_PROGRAM :
		    GetModuleHandleW(lpModuleName);
	return *phModule != NULL;
}

static inline HMODULE LoadLibraryExW(LPCWSTR lpLibFileName, HANDLE hFile, DWORD dwFlags)
{
	char *name = etw_narrow(lpLibFileName);
	HMODULE module = name ? LoadLibraryExA(name, hFile, dwFlags) : NULL;

	free(name);
	return module;
}

static inline HMODULE LoadLibraryW(LPCWSTR lpLibFileName)
{
	return LoadLibraryExW(lpLibFileName, NULL, 0);
}

ETW_END_DECLS

#ifdef UNICODE
#define GetModuleHandle		GetModuleHandleW
#define GetModuleHandleEx	GetModuleHandleExW
#define LoadLibrary		LoadLibraryW
#define LoadLibraryEx		LoadLibraryExW
#else
#define GetModuleHandle		GetModuleHandleA
#define GetModuleHandleEx	GetModuleHandleExA
#define LoadLibrary		LoadLibraryA
#define LoadLibraryEx		LoadLibraryExA
#endif

#endif /* ETW_WIN32_LIBLOADERAPI_H */
