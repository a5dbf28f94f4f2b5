//! The folders of a user, from an environment that a test can construct.

use etcetera::BaseStrategy;
use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

/// The part of the environment that the search for files depends on, read once.
#[derive(Clone, PartialEq, Eq)]
pub struct Environment {
    /// The folder that the program was started in.
    pub cwd: PathBuf,
    /// The user's home folder, if any.
    pub home: Option<PathBuf>,
    /// The folder in which programs keep a user's settings.
    pub config_dir: Option<PathBuf>,
    /// The folder in which programs keep their state.
    pub state_dir: Option<PathBuf>,
    /// The platform, which decides where other programs keep their files.
    pub platform: Platform,
    /// The environment's variables.
    pub variables: BTreeMap<String, String>,
}

/// The family of operating systems, as far as the place of files depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux and other Unixes.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Environment {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// If the folder that the process was started in is gone.
    pub fn of_process() -> std::io::Result<Self> {
        let base = etcetera::choose_base_strategy().ok();
        Ok(Self {
            cwd: env::current_dir()?,
            home: base.as_ref().map(|base| base.home_dir().to_owned()),
            config_dir: base.as_ref().map(BaseStrategy::config_dir),
            // Windows has no folder for state; its data folder is used.
            state_dir: base.as_ref().map(|base| base.state_dir().unwrap_or_else(|| base.data_dir())),
            platform: Platform::current(),
            // Variables that are not Unicode cannot be expanded into a text file.
            variables: env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect(),
        })
    }

    /// Returns the value of a variable; an empty one counts as unset.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns a path as seen from the working directory.
    #[must_use]
    pub fn absolute(&self, path: impl AsRef<Path>) -> PathBuf {
        self.cwd.join(path)
    }
}

impl std::fmt::Debug for Environment {
    // Variables may contain keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment")
            .field("cwd", &self.cwd)
            .field("home", &self.home)
            .field("config_dir", &self.config_dir)
            .field("state_dir", &self.state_dir)
            .field("platform", &self.platform)
            .finish_non_exhaustive()
    }
}

impl Platform {
    /// Returns the platform that this program was built for.
    #[must_use]
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

/// Returns the folder of the kernel's state: `$MGP_STATE_DIR`, then the configuration's, then the platform's.
#[must_use]
pub fn state_dir(environment: &Environment, configured: Option<&str>) -> Option<PathBuf> {
    environment
        .variable("MGP_STATE_DIR")
        .or(configured)
        .map(|folder| environment.absolute(folder))
        .or_else(|| environment.state_dir.as_ref().map(|folder| folder.join("mgp")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_folder_is_the_variable_then_the_file_then_default() {
        let mut environment = Environment {
            cwd: "/srv".into(),
            home: None,
            config_dir: None,
            state_dir: Some("/home/u/.local/state".into()),
            platform: Platform::Linux,
            variables: BTreeMap::new(),
        };
        let found = |environment: &Environment, file| state_dir(environment, file).unwrap();
        assert_eq!(found(&environment, None), Path::new("/home/u/.local/state/mgp"));
        assert_eq!(found(&environment, Some("state")), Path::new("/srv/state"));
        environment.variables.insert("MGP_STATE_DIR".into(), "/var/mgp".into());
        assert_eq!(found(&environment, Some("state")), Path::new("/var/mgp"));
    }
}
