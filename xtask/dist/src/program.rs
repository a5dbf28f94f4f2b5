//! The program of a release: its build, and the C library that it needs.

use crate::{process, release::Release};
use object::{
    Endianness,
    elf::{FileHeader64, PT_INTERP},
    read::elf::{FileHeader as _, ProgramHeader as _},
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tokio::process::Command;
use xtask_install::{cargo, run_build, workspace};

/// The C library that a program for Linux needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CLibrary {
    /// The GNU C library, of this version or a later one.
    Glibc(u32, u32),
    /// musl.
    Musl,
    /// None: the program is linked statically.
    None,
}

/// The features of the installed program.
pub(crate) const FEATURES: &str = "cedar,otlp,postgres";

/// The features of the program in the image, which serves a team more often. Elsewhere, the program stays as small as before.
pub(crate) const FEATURES_OF_IMAGE: &str = "cedar,otlp,postgres,s3";

/// Builds the program in the profile `dist`, for the platform of a release.
pub(crate) async fn build(release: &Release, target: Option<&str>) -> Result<PathBuf, String> {
    let mut command = Command::from(cargo());
    command.args([
        "build",
        "--quiet",
        "--locked",
        "--profile",
        "dist",
        "--package",
        "mgp",
        "--features",
        release.features,
    ]);
    let mut folder = workspace::target();
    if let Some(target) = target {
        command.args(["--target", target]);
        folder.push(target);
    }
    eprintln!("building mgp in the profile `dist`, which takes some minutes");
    if !run_build(command).await? {
        return Err("mgp does not build in the profile `dist`".to_owned());
    }
    Ok(folder.join("dist").join(release.platform.program()))
}

/// Copies the program, without its symbols. The profile `dist` has none, but a debug build of the gate has: on Linux, `strip` removes them.
pub(crate) async fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map_err(|error| format!("failed to copy {}: {error}", from.display()))?;
    if cfg!(target_os = "linux") && process::runs("strip", "--version").await {
        let mut strip = Command::new("strip");
        strip.arg(to);
        process::output(strip).await?;
    }
    Ok(())
}

/// Returns the C library that a program for Linux needs.
pub(crate) fn c_library(program: &[u8]) -> Result<CLibrary, String> {
    needed(program).map_err(|error| format!("the program is not a program of 64 bits for Linux: {error}"))
}

fn needed(program: &[u8]) -> object::read::Result<CLibrary> {
    let header = FileHeader64::<Endianness>::parse(program)?;
    let endian = header.endian()?;
    let mut segments = header.program_headers(endian, program)?.iter();
    let loader = segments.find(|segment| segment.p_type(endian) == PT_INTERP);
    let Some(loader) = loader else { return Ok(CLibrary::None) };
    let loader = loader.data(endian, program).unwrap_or_default();
    if String::from_utf8_lossy(loader).contains("ld-musl") {
        return Ok(CLibrary::Musl);
    }
    let sections = header.sections(endian, program)?;
    let mut versions = Vec::new();
    if let Some((mut libraries, strings)) = sections.gnu_verneed(endian, program)? {
        let strings = sections.strings(endian, program, strings)?;
        while let Some((_, mut of_library)) = libraries.next()? {
            while let Some(version) = of_library.next()? {
                versions.extend(glibc(version.name(endian, strings)?));
            }
        }
    }
    let (major, minor) = versions.into_iter().max().unwrap_or((2, 17));
    Ok(CLibrary::Glibc(major, minor))
}

/// Reads a version of glibc's symbols: `GLIBC_2.34` or `GLIBC_2.2.5`.
fn glibc(name: &[u8]) -> Option<(u32, u32)> {
    let mut parts = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_symbols_are_numbers() {
        assert_eq!(glibc(b"GLIBC_2.34"), Some((2, 34)));
        assert_eq!(glibc(b"GLIBC_2.2.5"), Some((2, 2)));
        for name in ["GLIBC_PRIVATE", "GLIBC_2", "GCC_3.0", ""] {
            assert_eq!(glibc(name.as_bytes()), None, "{name}");
        }
        assert!(glibc(b"GLIBC_2.9") < glibc(b"GLIBC_2.34"));
    }

    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    #[test]
    fn this_program_needs_a_version_of_glibc() {
        let program = fs::read(std::env::current_exe().unwrap()).unwrap();
        let CLibrary::Glibc(major, minor) = c_library(&program).unwrap() else { panic!() };
        assert!(major == 2 && (17..100).contains(&minor), "{major}.{minor}");
    }

    #[test]
    fn a_file_that_is_not_a_program_is_an_error() {
        for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF", b"MZ"] {
            assert!(c_library(bytes).unwrap_err().contains("not a program"), "{bytes:?}");
        }
    }
}
