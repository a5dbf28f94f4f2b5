//! The command that runs a package of a registry.

use super::{
    Package,
    names::one_line,
    package_name::{check_name, check_version, image, is_of_the_default},
    runtime::check_runtime,
};

/// Returns the program that runs a package, and its arguments.
///
/// # Errors
/// A sentence if the kind of package is not supported, or if a package other than the named one would run.
pub(super) fn command(
    package: &Package,
    runtime: Vec<String>,
    own: Vec<String>,
    variables: &[String],
) -> Result<(&'static str, Vec<String>), String> {
    let kind = package.registry_type.as_str();
    match kind {
        "npm" | "pypi" | "nuget" | "oci" => {}
        "mcpb" => return Err("it is a bundle that has to be downloaded and checked first".to_owned()),
        other => {
            let other = one_line(other, 32);
            return Err(format!("packages of {other:?} are not supported: expected npm, pypi, nuget or oci"));
        }
    }
    let name = package.identifier.as_str();
    check_name(kind, name)?;
    if let Some(version) = &package.version {
        check_version(kind, version)?;
    }
    check_runtime(kind, name, &runtime)?;
    if kind == "oci" {
        // The variables are set for docker itself, which passes them on by option.
        let handed = variables.iter().flat_map(|name| ["-e".to_owned(), name.clone()]).collect();
        let start = ["run", "-i", "--rm"].map(str::to_owned).into();
        return Ok(("docker", [start, handed, runtime, vec![image(package)?], own].concat()));
    }
    is_of_the_default(kind, package.registry_base_url.as_deref())?;
    let versioned =
        package.version.as_ref().map_or_else(|| name.to_owned(), |version| format!("{name}@{version}"));
    Ok(match kind {
        "npm" => ("npx", [once("-y", runtime), vec![versioned], own].concat()),
        "pypi" => ("uvx", [runtime, vec![versioned], own].concat()),
        _ => {
            let own = if own.is_empty() { own } else { [vec!["--".to_owned()], own].concat() };
            ("dnx", [runtime, vec![versioned, "--yes".to_owned()], own].concat())
        }
    })
}

/// Returns arguments that begin with `first`, without repeating it.
fn once(first: &str, rest: Vec<String>) -> Vec<String> {
    let rest = rest.into_iter().filter(|argument| argument != first && argument != "--yes");
    std::iter::once(first.to_owned()).chain(rest).collect()
}
