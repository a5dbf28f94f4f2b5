//! The home folder in the system's list of users.
#![expect(unsafe_code, reason = "the standard library asks the list only if HOME is not set")]

use std::{
    ffi::{CStr, OsStr},
    os::unix::ffi::OsStrExt,
    path::PathBuf,
    ptr,
};

/// The longest entry of a user.
const MAX_ENTRY: usize = 16_384;

/// Returns the home folder of the user of this process in the system's list.
pub(in crate::confine) fn listed_home() -> Option<PathBuf> {
    let mut text = vec![0u8; MAX_ENTRY];
    let mut found = ptr::null_mut();
    // SAFETY: an entry of zeros is one of numbers and null pointers.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    // SAFETY: all pointers are to values that outlive the call, and the length is that of the text.
    unsafe {
        let user = libc::geteuid();
        libc::getpwuid_r(user, &raw mut entry, text.as_mut_ptr().cast(), text.len(), &raw mut found);
    }
    // Without an entry, or after an error, the result is `None`.
    let home = (!found.is_null()).then_some(entry.pw_dir).filter(|home| !home.is_null())?;
    // SAFETY: the folder lies in the text, and ends with a zero.
    let home = unsafe { CStr::from_ptr(home) };
    Some(OsStr::from_bytes(home.to_bytes()).into())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::MetadataExt, path::Path};

    #[test]
    fn the_home_folder_comes_from_the_user_list_only() {
        let user = fs::metadata("/proc/self").unwrap().uid().to_string();
        let list = fs::read_to_string("/etc/passwd").unwrap();
        let mut entries = list.lines().map(|line| line.split(':').collect::<Vec<_>>());
        if let Some(entry) = entries.find(|entry| entry.get(2) == Some(&&*user)) {
            assert_eq!(super::listed_home().as_deref(), entry.get(5).map(Path::new));
        }
    }
}
