/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winmod.h - resources of a Windows module (.dll, .exe) that is opened as a data file
 *
 *	module = LoadLibraryEx(file, NULL, LOAD_LIBRARY_AS_DATAFILE);
 *	found = FindResource(module, MAKEINTRESOURCE(1), TEXT("WEVT_TEMPLATE"));
 *	data = LockResource(LoadResource(module, found));
 *	size = SizeofResource(module, found);
 *
 * That is how programs read the binary manifest (WEVT_TEMPLATE) and the messages
 * (RT_MESSAGETABLE) of a provider.  No code of the module runs.  Nothing in the file is
 * trusted.  TdhLoadManifestFromBinary() needs none of this.
 *
 * Semantics: Microsoft's pages of the functions and "PE Format".
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_WINMOD_H
#define ETW_WIN32_WINMOD_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC	02000000	/* fcntl.h hides it with -std=c11 */
#endif

ETW_BEGIN_DECLS

#define DONT_RESOLVE_DLL_REFERENCES		0x00000001
#define LOAD_LIBRARY_AS_DATAFILE		0x00000002
#define LOAD_WITH_ALTERED_SEARCH_PATH		0x00000008
#define LOAD_LIBRARY_AS_IMAGE_RESOURCE		0x00000020
#define LOAD_LIBRARY_AS_DATAFILE_EXCLUSIVE	0x00000040
#define LOAD_LIBRARY_SEARCH_SYSTEM32		0x00000800
#define ETW_LOAD_AS_DATA	(LOAD_LIBRARY_AS_DATAFILE | LOAD_LIBRARY_AS_IMAGE_RESOURCE | \
				 LOAD_LIBRARY_AS_DATAFILE_EXCLUSIVE)

#define MAKEINTRESOURCEA(i)	((LPSTR)(ULONG_PTR)(WORD)(i))
#define MAKEINTRESOURCEW(i)	((LPWSTR)(ULONG_PTR)(WORD)(i))
#define IS_INTRESOURCE(r)	(((ULONG_PTR)(r) >> 16) == 0)
#define RT_RCDATA		MAKEINTRESOURCE(10)
#define RT_MESSAGETABLE		MAKEINTRESOURCE(11)
#define RT_VERSION		MAKEINTRESOURCE(16)

/* A mapped file; the handle is its address plus 1, as a data file's is on Windows. */
struct etw_winmod {
	const BYTE *map;
	size_t size;
	size_t root;		/* file offset of the resource directory; 0: none */
	const BYTE *sections;
	unsigned int section_count;
};

static inline BOOL etw_winmod_is(HMODULE module)
{
	return ((ULONG_PTR)module & 1) != 0;
}

static inline struct etw_winmod *etw_winmod_of(HMODULE module)
{
	return (struct etw_winmod *)((ULONG_PTR)module - 1);
}

/* The bytes at @offset, or NULL if the file does not have @count there */
static inline const BYTE *etw_winmod_at(const struct etw_winmod *m, size_t offset, size_t count)
{
	return offset <= m->size && count <= m->size - offset ? m->map + offset : NULL;
}

static inline DWORD etw_winmod_word(const BYTE *p)
{
	return p[0] | (DWORD)p[1] << 8;
}

static inline DWORD etw_winmod_dword(const BYTE *p)
{
	return etw_winmod_word(p) | etw_winmod_word(p + 2) << 16;
}

/* The file offset of an address of the loaded module; 0: in no section */
static inline size_t etw_winmod_offset(const struct etw_winmod *m, DWORD rva)
{
	const BYTE *s = m->sections;
	unsigned int i;

	for (i = 0; i < m->section_count; i++, s += 40) {
		DWORD start = etw_winmod_dword(s + 12), size = etw_winmod_dword(s + 16);

		if (rva >= start && rva - start < size)
			return (size_t)etw_winmod_dword(s + 20) + (rva - start);
	}
	return 0;
}

static inline BOOL etw_winmod_parse(struct etw_winmod *m)
{
	const BYTE *dos = etw_winmod_at(m, 0, 64), *pe, *optional;
	size_t at, optional_size, directory;

	if (!dos || memcmp(dos, "MZ", 2))
		return FALSE;
	at = etw_winmod_dword(dos + 60);
	pe = etw_winmod_at(m, at, 24);
	if (!pe || memcmp(pe, "PE\0", 4))
		return FALSE;
	optional_size = etw_winmod_word(pe + 20);
	optional = etw_winmod_at(m, at + 24, optional_size);
	if (!optional || optional_size < 2)
		return FALSE;
	m->section_count = etw_winmod_word(pe + 6);
	m->sections = etw_winmod_at(m, at + 24 + optional_size, (size_t)m->section_count * 40);
	if (!m->sections)
		return FALSE;
	directory = (etw_winmod_word(optional) == 0x20b ? 112 : 96) + 2 * 8;
	if (directory + 8 <= optional_size)
		m->root = etw_winmod_offset(m, etw_winmod_dword(optional + directory));
	return TRUE;
}

static inline BOOL etw_winmod_close(HMODULE module)
{
	struct etw_winmod *m = etw_winmod_of(module);

	munmap((void *)(ULONG_PTR)m->map, m->size);
	free(m);
	return TRUE;
}

static inline HMODULE etw_winmod_open(const char *path)
{
	struct etw_winmod *m = (struct etw_winmod *)calloc(1, sizeof(*m));
	int fd = m ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0) {
		SetLastError(!m ? ERROR_NOT_ENOUGH_MEMORY : fd < 0 ? ERROR_FILE_NOT_FOUND :
			     ERROR_BAD_EXE_FORMAT);
		if (fd >= 0)
			close(fd);
		free(m);
		return NULL;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		free(m);
		SetLastError(ERROR_NOT_ENOUGH_MEMORY);
		return NULL;
	}
	m->map = (const BYTE *)map;
	m->size = (size_t)st.st_size;
	if (!etw_winmod_parse(m)) {
		etw_winmod_close((BYTE *)m + 1);
		SetLastError(ERROR_BAD_EXE_FORMAT);
		return NULL;
	}
	return (BYTE *)m + 1;
}

/* Does an entry of a directory have this name, a number or text without regard to case? */
static inline BOOL etw_winmod_named(const struct etw_winmod *m, DWORD entry, LPCWSTR name)
{
	const BYTE *text;
	DWORD i, length;

	if (!(entry >> 31) || IS_INTRESOURCE(name))
		return !(entry >> 31) && IS_INTRESOURCE(name) && entry == (ULONG_PTR)name;
	text = etw_winmod_at(m, m->root + (entry & 0x7FFFFFFF), 2);
	length = text ? etw_winmod_word(text) : 0;
	text = etw_winmod_at(m, m->root + (entry & 0x7FFFFFFF) + 2, (size_t)length * 2);
	if (!text)
		return FALSE;
	for (i = 0; i < length; i++)
		if (!name[i] || etw_towlower(name[i]) !=
		    etw_towlower((WCHAR)etw_winmod_word(text + 2 * i)))
			return FALSE;
	return !name[length];
}

/*
 * The value of the entry called @name of the directory at @offset; NULL: the first entry.
 * All ones: there is none.
 */
static inline DWORD etw_winmod_entry(const struct etw_winmod *m, DWORD offset, LPCWSTR name,
				     BOOL any)
{
	const BYTE *directory = etw_winmod_at(m, m->root + offset, 16), *entry;
	DWORD count, i;

	if (!directory)
		return 0xFFFFFFFF;
	count = etw_winmod_word(directory + 12) + etw_winmod_word(directory + 14);
	entry = etw_winmod_at(m, m->root + offset + 16, (size_t)count * 8);
	for (i = 0; entry && i < count; i++, entry += 8)
		if (any || etw_winmod_named(m, etw_winmod_dword(entry), name))
			return etw_winmod_dword(entry + 4);
	return 0xFFFFFFFF;
}

/* @wLanguage 0: the first language that the resource has */
static inline HRSRC FindResourceExW(HMODULE hModule, LPCWSTR lpType, LPCWSTR lpName,
				    WORD wLanguage)
{
	const struct etw_winmod *m;
	DWORD at;

	if (!etw_winmod_is(hModule) || !etw_winmod_of(hModule)->root) {
		SetLastError(ERROR_RESOURCE_DATA_NOT_FOUND);
		return NULL;
	}
	m = etw_winmod_of(hModule);
	at = etw_winmod_entry(m, 0, lpType, FALSE);
	if (at == 0xFFFFFFFF || !(at >> 31)) {
		SetLastError(ERROR_RESOURCE_TYPE_NOT_FOUND);
		return NULL;
	}
	at = etw_winmod_entry(m, at & 0x7FFFFFFF, lpName, FALSE);
	if (at != 0xFFFFFFFF && at >> 31)
		at = etw_winmod_entry(m, at & 0x7FFFFFFF, (LPCWSTR)(ULONG_PTR)wLanguage,
				      !wLanguage);
	if (at >> 31 || !etw_winmod_at(m, m->root + at, 16)) {
		SetLastError(ERROR_RESOURCE_NAME_NOT_FOUND);
		return NULL;
	}
	return (HRSRC)(ULONG_PTR)(m->map + m->root + at);
}

static inline HRSRC FindResourceW(HMODULE hModule, LPCWSTR lpName, LPCWSTR lpType)
{
	return FindResourceExW(hModule, lpType, lpName, 0);
}

static inline HRSRC FindResourceA(HMODULE hModule, LPCSTR lpName, LPCSTR lpType)
{
	WCHAR *name = IS_INTRESOURCE(lpName) ? NULL : etw_widen(lpName);
	WCHAR *type = IS_INTRESOURCE(lpType) ? NULL : etw_widen(lpType);
	HRSRC found = FindResourceW(hModule, name ? name : MAKEINTRESOURCEW((ULONG_PTR)lpName),
				    type ? type : MAKEINTRESOURCEW((ULONG_PTR)lpType));

	free(name);
	free(type);
	return found;
}

static inline DWORD SizeofResource(HMODULE hModule, HRSRC hResInfo)
{
	UNREFERENCED_PARAMETER(hModule);
	return hResInfo ? etw_winmod_dword((const BYTE *)hResInfo + 4) : 0;
}

static inline HGLOBAL LoadResource(HMODULE hModule, HRSRC hResInfo)
{
	const struct etw_winmod *m = etw_winmod_is(hModule) ? etw_winmod_of(hModule) : NULL;
	size_t offset = m && hResInfo ?
		etw_winmod_offset(m, etw_winmod_dword((const BYTE *)hResInfo)) : 0;

	if (!offset || !etw_winmod_at(m, offset, SizeofResource(hModule, hResInfo))) {
		SetLastError(ERROR_RESOURCE_DATA_NOT_FOUND);
		return NULL;
	}
	return (HGLOBAL)(ULONG_PTR)(m->map + offset);
}

static inline LPVOID LockResource(HGLOBAL hResData)
{
	return hResData;
}

ETW_END_DECLS

#ifdef UNICODE
#define MAKEINTRESOURCE		MAKEINTRESOURCEW
#define FindResource		FindResourceW
#else
#define MAKEINTRESOURCE		MAKEINTRESOURCEA
#define FindResource		FindResourceA
#endif

#endif /* ETW_WIN32_WINMOD_H */
