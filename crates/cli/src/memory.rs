//! How `hob` asks the system for memory.

/// Memory of a megabyte and more is the system's again as soon as it is freed.
///
/// glibc changes its mind about that while it runs: once something large was freed, what is as large comes from its own
/// heap, where it leaves holes. After a COPY of a million rows a fourth of the memory was such holes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(crate) fn give_back_what_is_large() {
    // SAFETY: mallopt takes two numbers and touches nothing but the allocator's own settings, under its own lock. A
    // number it does not know it refuses, and then all is as it was.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20) };
}

/// Other allocators do so, or cannot be told.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_what_is_large() {}
