//! One row.

use super::Folder;
use crate::{install::Package, programs::Programs};
use futures_util::future::{BoxFuture, FutureExt};
use std::{fmt, future::Future, path::PathBuf, sync::Arc, time::Duration};

/// The time limit of a row.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The context of a row.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) programs: Arc<Programs>,
    /// The row's own folder, in which every process that it starts works.
    pub(crate) folder: Folder,
}

type Run = Box<dyn Fn(Context) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// One pair of peers.
pub(crate) struct Row {
    /// The name of the row: a path that starts with the group.
    pub(crate) name: String,
    /// The packages that the row needs.
    pub(crate) needs: Vec<Package>,
    /// The programs that the row needs in the path.
    pub(crate) programs: &'static [&'static str],
    /// The files and folders next to the workspace that the row needs.
    pub(crate) beside: Vec<PathBuf>,
    /// Returns another reason why this machine cannot run the row.
    pub(crate) obstacle: fn() -> Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) run: Run,
}

/// Creates a row.
pub(crate) fn row<F>(
    name: impl Into<String>,
    needs: &[Package],
    run: impl Fn(Context) -> F + Send + Sync + 'static,
) -> Row
where
    F: Future<Output = Result<(), String>> + Send + 'static,
{
    Row {
        name: name.into(),
        needs: needs.to_vec(),
        programs: &[],
        beside: Vec::new(),
        obstacle: || None,
        timeout: TIMEOUT,
        run: Box::new(move |context| run(context).boxed()),
    }
}

impl Row {
    /// Sets the programs that the row needs in the path.
    pub(crate) fn programs(mut self, programs: &'static [&'static str]) -> Self {
        self.programs = programs;
        self
    }

    /// Adds a file or folder next to the workspace that the row needs.
    pub(crate) fn beside(mut self, path: PathBuf) -> Self {
        self.beside.push(path);
        self
    }

    /// Sets another reason why a machine cannot run the row.
    pub(crate) fn unless(mut self, obstacle: fn() -> Option<String>) -> Self {
        self.obstacle = obstacle;
        self
    }

    /// Returns the reason why one of the programs or files is missing, or another one for which the row cannot run.
    pub(super) fn why_missing(&self) -> Option<String> {
        if let Some(obstacle) = (self.obstacle)() {
            return Some(obstacle);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let is_there =
            |program: &&&str| std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
        if let Some(missing) = self.programs.iter().find(|program| !is_there(program)) {
            return Some(format!("the program {missing:?} is not in the path"));
        }
        let missing = self.beside.iter().find(|path| !path.exists())?;
        Some(format!("{} is missing", missing.display()))
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("name", &self.name).field("needs", &self.needs).finish_non_exhaustive()
    }
}
