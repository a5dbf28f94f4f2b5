//! The search order of files: the first existing file is used, and nothing is merged.

use super::Environment;
use std::path::{Path, PathBuf};

/// A configuration file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The origin of the file, which decides whether its commands may run.
    pub origin: Origin,
}

/// The way in which a configuration file was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The file was named, in `$MGP_CONFIG_PATH` or on the command line.
    Named,
    /// The file was in the working directory: the author of the project may have written it.
    Project,
    /// The file is the user's own.
    User,
}

/// Finds the configuration file. `exists` returns whether there is a file at a path.
///
/// A named file is returned even if it does not exist, so that a typo in its name is reported.
#[must_use]
pub fn config_file(environment: &Environment, exists: &dyn Fn(&Path) -> bool) -> Option<ConfigFile> {
    if let Some(path) = environment.variable("MGP_CONFIG_PATH") {
        return Some(ConfigFile { path: environment.absolute(path), origin: Origin::Named });
    }
    config_places(environment).into_iter().find(|file| exists(&file.path))
}

/// Returns the default places of a configuration file, in search order.
#[must_use]
pub fn config_places(environment: &Environment) -> Vec<ConfigFile> {
    let project = ConfigFile { path: environment.absolute("mgp.toml"), origin: Origin::Project };
    let user = user_config_file(environment).map(|path| ConfigFile { path, origin: Origin::User });
    [Some(project), user].into_iter().flatten().collect()
}

/// Returns the path of the user's own configuration file; `None` for an account without a folder for settings.
#[must_use]
pub fn user_config_file(environment: &Environment) -> Option<PathBuf> {
    environment.config_dir.as_ref().map(|folder| folder.join("mgp").join("servers.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::Platform;

    fn found(variable: Option<&str>, files: &[&str]) -> Option<(String, Origin)> {
        let environment = Environment {
            cwd: "/srv".into(),
            home: Some("/home/u".into()),
            config_dir: Some("/home/u/.config".into()),
            state_dir: None,
            platform: Platform::Linux,
            variables: variable
                .map(|path| ("MGP_CONFIG_PATH".to_owned(), path.to_owned()))
                .into_iter()
                .collect(),
        };
        config_file(&environment, &|path| files.iter().any(|file| Path::new(file) == path))
            .map(|file| (file.path.display().to_string(), file.origin))
    }

    #[test]
    fn the_first_file_of_the_order_wins() {
        let (project, user) = ("/srv/mgp.toml", "/home/u/.config/mgp/servers.toml");
        assert_eq!(found(Some("/etc/m.toml"), &[project, user]), Some(("/etc/m.toml".into(), Origin::Named)));
        assert_eq!(found(Some(""), &[project, user]), Some((project.into(), Origin::Project)));
        assert_eq!(found(None, &[project, user]), Some((project.into(), Origin::Project)));
        assert_eq!(found(None, &[user]), Some((user.into(), Origin::User)));
        assert_eq!(found(None, &[]), None);
    }

    #[test]
    fn a_named_file_is_the_answer_even_if_it_is_missing() {
        assert_eq!(found(Some("x.toml"), &["/srv/mgp.toml"]), Some(("/srv/x.toml".into(), Origin::Named)));
    }
}
