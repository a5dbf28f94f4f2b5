//! Makes the chosen packages, then checks them.

#[cfg(unix)]
use crate::check;
use crate::{
    arguments::Arguments,
    pack::sum_of,
    packages::{Kind, formula},
    program::{self, FEATURES, FEATURES_OF_IMAGE},
    release::Release,
    stage::Stage,
};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};
use xtask_install::{is_strict, lock};

/// Runs the command.
pub(crate) async fn run(arguments: &Arguments) -> Result<(), String> {
    let release = Release::read(arguments.target.as_deref(), FEATURES)?;
    let folder = Release::folder();
    let _lock = lock(&folder)?;
    let mut kinds = arguments.kinds();
    if kinds == [Kind::Formula] {
        println!("{}", formula(&release, &folder)?.display());
        return Ok(());
    }
    // The formula needs the archives of other platforms, and is made after them.
    kinds.retain(|kind| *kind != Kind::Formula);
    let (image, others): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|kind| *kind == Kind::Image);
    let (mut made, mut skipped) = (Vec::new(), 0);
    for (kinds, features) in [(others, FEATURES), (image, FEATURES_OF_IMAGE)] {
        let available = available(kinds, &release, &mut skipped).await?;
        if available.is_empty() {
            continue;
        }
        let release = Release::read(arguments.target.as_deref(), features)?;
        let built = match &arguments.program {
            Some(program) => program.clone(),
            None => program::build(&release, arguments.target.as_deref()).await?,
        };
        let stage = Stage::make(&release, &built, &folder.join("stage")).await?;
        for kind in available {
            let start = Instant::now();
            let of_kind = kind.make(&release, &stage, &folder).await?;
            println!("{:<8} {:>5.1} s  {}", kind.name(), start.elapsed().as_secs_f64(), names(&of_kind));
            made.push(kind);
        }
    }
    write_sums(&release, &folder)?;
    if !arguments.check {
        return Ok(());
    }
    #[cfg(unix)]
    return check::run(&release, &folder, &made, skipped, arguments.root.as_deref()).await;
    #[cfg(not(unix))]
    Err("--check works only on Unix: fresh users are made with its tools".to_owned())
}

/// Returns the kinds whose tools are there, and counts the others.
async fn available(kinds: Vec<Kind>, release: &Release, skipped: &mut usize) -> Result<Vec<Kind>, String> {
    let mut available = Vec::new();
    for kind in kinds {
        match kind.missing_tool(release).await {
            None => available.push(kind),
            Some(tool) if is_strict() => return Err(format!("{} needs {tool}", kind.name())),
            Some(tool) => {
                println!("{:<8} skipped: it needs {tool}", kind.name());
                *skipped += 1;
            }
        }
    }
    Ok(available)
}

/// Describes the files of a kind: their names and sizes.
fn names(files: &[PathBuf]) -> String {
    if files.is_empty() {
        return "an image in buildah's storage".to_owned();
    }
    let describe = |path: &PathBuf| {
        let size = path.metadata().map_or(0, |file| file.len());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        format!("{name} ({:.1} MB)", size as f64 / 1e6)
    };
    files.iter().map(describe).collect::<Vec<_>>().join(", ")
}

/// Writes the checksums of all packages of the version in the folder, in the form that `sha256sum --check` reads.
fn write_sums(release: &Release, folder: &Path) -> Result<(), String> {
    let entries =
        fs::read_dir(folder).map_err(|error| format!("failed to read {}: {error}", folder.display()))?;
    let mut names: Vec<_> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let is_package =
        |name: &str| [".deb", ".gz", ".rpm", ".tgz", ".whl"].iter().any(|end| name.ends_with(end));
    names.retain(|name| name.contains(&release.version) && is_package(name));
    names.sort();
    let mut lines = Vec::new();
    for name in names {
        lines.push(format!("{}  {name}\n", sum_of(&folder.join(&name))?));
    }
    let path = folder.join("SHA256SUMS");
    fs::write(&path, lines.concat()).map_err(|error| format!("failed to write {}: {error}", path.display()))
}
