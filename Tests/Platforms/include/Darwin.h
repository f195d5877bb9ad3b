// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The C functions of Darwin that the package calls, as Apple's headers declare them on x86_64, and those of
// Musl and Android where they differ. Written by hand from the manual pages: only types and nullability matter
// here, not values.

#pragma clang assume_nonnull begin

typedef unsigned short mode_t;
typedef unsigned int uid_t, gid_t;
typedef int dev_t, pid_t;
typedef unsigned long long ino_t;
typedef unsigned short nlink_t;
typedef long long off_t;
typedef long time_t;
typedef unsigned long size_t;
typedef long ssize_t;
typedef unsigned int useconds_t, nfds_t;
typedef long long blkcnt_t;

// Errors.

#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define EACCES 13
#define EEXIST 17
#define EXDEV 18
#define ENOTDIR 20
#define EINVAL 22
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EMLINK 31
#define EDEADLK 11
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 45
#define ETIMEDOUT 60
#define ELOOP 62
#define EDQUOT 69
#define ENOSYS 78
#if defined(__APPLE__)
#define ENOATTR 93
#else
#define ENODATA 61
#endif
#define EOPNOTSUPP 102

char *strerror(int number);

// Files.

#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x0004
#define O_NOFOLLOW 0x0100
#define O_CREAT 0x0200
#define O_EXCL 0x0800
#define O_DIRECTORY 0x100000
#define O_CLOEXEC 0x1000000
#define AT_FDCWD -2
#define AT_EACCESS 0x0010
#define AT_SYMLINK_NOFOLLOW 0x0020
#define AT_SYMLINK_FOLLOW 0x0040
#define AT_REMOVEDIR 0x0080
#define W_OK 2
#define F_GETFD 1
#define F_SETLK 8
#define F_WRLCK 3
#define F_DUPFD_CLOEXEC 67
#if defined(__APPLE__)
#define F_FULLFSYNC 51
#endif
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#define POLLIN 1
#define POLLOUT 4

struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
    off_t st_size;
    blkcnt_t st_blocks;
};

struct flock {
    off_t l_start, l_len;
    pid_t l_pid;
    short l_type, l_whence;
};

struct pollfd {
    int fd;
    short events, revents;
};

struct dirent {
    ino_t d_ino;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[1024];
};
typedef struct keyed_directory DIR;

// Swift does not import variadic functions. `Darwin.swiftinterface` declares these two again.
int open(const char *path, int flags, ...);
int fcntl(int file, int command, ...);
int fstatat(int folder, const char *path, struct stat *status, int flags);
int mkdirat(int folder, const char *path, mode_t mode);
int renameat(int folder, const char *source, int other, const char *target);
int unlinkat(int folder, const char *path, int flags);
DIR *_Nullable fdopendir(int file);
int stat(const char *path, struct stat *status);
int fstat(int file, struct stat *status);
int lstat(const char *path, struct stat *status);
int mkdir(const char *path, mode_t mode);
int rmdir(const char *path);
int rename(const char *source, const char *target);
int unlink(const char *path);
int link(const char *source, const char *target);
int linkat(int folder, const char *source, int other, const char *target, int flags);
int faccessat(int folder, const char *path, int mode, int flags);
int fchmod(int file, mode_t mode);
int fchown(int file, uid_t owner, gid_t group);
int fsync(int file);
#if !defined(__APPLE__)
int fdatasync(int file);
#endif
int ftruncate(int file, off_t size);
void sync(void);
int flock(int file, int operation);
int poll(struct pollfd *requests, nfds_t count, int timeout);
int close(int file);
int isatty(int file);
ssize_t read(int file, void *_Null_unspecified bytes, size_t count);
ssize_t write(int file, const void *_Null_unspecified bytes, size_t count);
ssize_t pread(int file, void *_Null_unspecified bytes, size_t count, off_t offset);
ssize_t pwrite(int file, const void *_Null_unspecified bytes, size_t count, off_t offset);
char *_Nullable getcwd(char *_Nullable path, size_t size);
char *_Nullable realpath(const char *path, char *_Nullable resolved);
DIR *_Nullable opendir(const char *path);
struct dirent *_Nullable readdir(DIR *folder);
int closedir(DIR *folder);
uid_t geteuid(void);
pid_t getpid(void);
void free(void *_Nullable memory);

// The process, and time.

typedef enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 6 } clockid_t;

char *_Nullable getenv(const char *name);
void exit(int status) __attribute__((noreturn));
int atexit(void (*function)(void));
int usleep(useconds_t microseconds);
int clock_gettime(clockid_t clock, struct timespec *time);
int vsnprintf(char *_Null_unspecified text, size_t size, const char *format, __builtin_va_list values);

// Threads and locks.

#if defined(__APPLE__)
typedef struct {
    unsigned int opaque;
} os_unfair_lock, *os_unfair_lock_t;

void os_unfair_lock_lock(os_unfair_lock_t lock);
void os_unfair_lock_unlock(os_unfair_lock_t lock);
_Bool os_unfair_lock_trylock(os_unfair_lock_t lock);

typedef struct keyed_thread *pthread_t;
typedef void *_Nullable (*keyed_thread_start)(void *argument);
#define KEYED_THREAD pthread_t _Nullable
#elif defined(__ANDROID__)
typedef long pthread_t;
typedef void *_Nullable (*keyed_thread_start)(void *_Nullable argument);
#define KEYED_THREAD pthread_t
#else
typedef struct keyed_thread *_Null_unspecified pthread_t;
typedef void *_Nullable (*keyed_thread_start)(void *_Nullable argument);
#define KEYED_THREAD pthread_t
#endif

typedef struct {
    long signature;
    char contents[56];
} pthread_attr_t;

int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int pthread_create(
    KEYED_THREAD *_Nonnull thread, const pthread_attr_t *_Nullable attributes,
    keyed_thread_start start, void *_Nullable argument);
int pthread_join(pthread_t thread, void *_Nullable *_Nullable result);
pthread_t pthread_self(void);

#if defined(__APPLE__)
size_t pthread_get_stacksize_np(pthread_t thread);
void *pthread_get_stackaddr_np(pthread_t thread);
#else
#if defined(__ANDROID__)
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
#endif
int pthread_attr_getstack(
    const pthread_attr_t *attributes, void *_Nullable *_Nonnull start, size_t *size);
#endif

#if defined(__APPLE__)
typedef unsigned long pthread_key_t;
#elif defined(__ANDROID__)
typedef int pthread_key_t;
#else
typedef unsigned int pthread_key_t;
#endif
int pthread_key_create(
    pthread_key_t *key, void (*_Nullable release)(void *_Null_unspecified value));
void *_Null_unspecified pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *_Nullable value);

// Memory.

#if !defined(__APPLE__)
#define MADV_HUGEPAGE 14
int getpagesize(void);
int madvise(void *start, size_t size, int advice);
#endif

#pragma clang assume_nonnull end
