// SPDX-License-Identifier: GPL-2.0-only
//
// A program that uses the driver of selftests/kmod/etw_ported, as on Windows
//
// drvctl REQUEST [NUMBER] sends one request, drvctl most kinds of them.
//
#include <windows.h>
#include <winioctl.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "parcelioctl.h"

static int Failed(const char *what)
{
    printf("%s failed with %lu\n", what, GetLastError());
    return 1;
}

static const struct {
    const char *name;
    DWORD code;
} requests[] = {
    { "hold", IOCTL_PARCEL_HOLD },
    { "held", IOCTL_PARCEL_HELD },
    { "release", IOCTL_PARCEL_RELEASE },
    { "print", IOCTL_PARCEL_PRINT },
    { "lists", IOCTL_PARCEL_LISTS },
    { "locker", IOCTL_PARCEL_LOCKER },
};

// One request with a number, and the number that it returns
static int Send(const char *name, ULONG number)
{
    HANDLE device = CreateFileW(L"\\\\.\\ParcelDrv", 0, 0, nullptr, OPEN_EXISTING,
        FILE_ATTRIBUTE_NORMAL, nullptr);
    DWORD returned = 0;

    if (device == INVALID_HANDLE_VALUE)
        return Failed("CreateFile");
    for (const auto &request : requests) {
        if (strcmp(request.name, name))
            continue;
        if (!DeviceIoControl(device, request.code, &number, sizeof(number), &number, sizeof(number),
                             &returned, nullptr))
            return Failed(name);
        printf("%s: %lu\n", name, returned ? number : 0);
        CloseHandle(device);
        return 0;
    }
    return Failed("finding the request");
}

static int SendAll()
{
    HANDLE device = CreateFileW(L"\\\\.\\PARCELDRV", GENERIC_READ | GENERIC_WRITE,
        FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
    WCHAR text[] = L"gr\x00FC\x00DF" L"e";
    PARCEL_WEIGHT weight = { 7, 0 };
    DWORD returned = 99;

    if (device == INVALID_HANDLE_VALUE)
        return Failed("CreateFile");
    if (!DeviceIoControl(device, IOCTL_PARCEL_WEIGH, &weight, sizeof(weight.Number), &weight,
                         sizeof(weight), &returned, nullptr))
        return Failed("DeviceIoControl");
    printf("%lu weighs %lu g, %lu bytes returned\n", weight.Number, weight.Grams, returned);
    if (!WriteFile(device, text, sizeof(text) - sizeof(WCHAR), &returned, nullptr))
        return Failed("WriteFile");
    printf("%lu bytes written\n", returned);

    // Each of these is refused, and says why.
    if (DeviceIoControl(device, IOCTL_PARCEL_WEIGH, &weight, 1, &weight, sizeof(weight), &returned,
                        nullptr) || GetLastError() != ERROR_INSUFFICIENT_BUFFER)
        return Failed("the short request");
    if (DeviceIoControl(device, IOCTL_PARCEL_NEITHER, nullptr, 0, nullptr, 0, &returned, nullptr) ||
        GetLastError() != ERROR_NOT_SUPPORTED)
        return Failed("the request by METHOD_NEITHER");
    if (DeviceIoControl(device, IOCTL_PARCEL_WEIGH + 0x100, nullptr, 0, nullptr, 0, &returned,
                        nullptr) || GetLastError() != ERROR_INVALID_FUNCTION)
        return Failed("the unknown request");
    if (WriteFile(device, text, 3, &returned, nullptr) ||
        GetLastError() != ERROR_INVALID_PARAMETER)
        return Failed("the odd write");
    if (ReadFile(device, text, sizeof(text), &returned, nullptr) ||
        GetLastError() != ERROR_INVALID_FUNCTION)
        return Failed("the read that the driver lacks");
    if (!DeviceIoControl(device, IOCTL_PARCEL_CLEAR, nullptr, 0, nullptr, 0, &returned, nullptr))
        return Failed("the request that needs write access");
    CloseHandle(device);

    // A control code says which access the handle must have.
    device = CreateFileW(L"\\\\.\\PARCELDRV", GENERIC_READ, 0, nullptr, OPEN_EXISTING,
        FILE_ATTRIBUTE_NORMAL, nullptr);
    if (device == INVALID_HANDLE_VALUE)
        return Failed("CreateFile for reading");
    if (DeviceIoControl(device, IOCTL_PARCEL_CLEAR, nullptr, 0, nullptr, 0, &returned, nullptr) ||
        GetLastError() != ERROR_ACCESS_DENIED)
        return Failed("the request without write access");
    CloseHandle(device);
    return 0;
}

int main(int argc, char **argv)
{
    return argc < 2 ? SendAll() : Send(argv[1], argc < 3 ? 0 : strtoul(argv[2], nullptr, 0));
}
