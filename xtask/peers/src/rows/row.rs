//! One row.

use super::Folder;
use crate::{install::Package, programs::Programs};
use futures_util::future::{BoxFuture, FutureExt};
use std::{fmt, future::Future, sync::Arc, time::Duration};

/// The time limit of a row.
const TIMEOUT: Duration = Duration::from_secs(90);

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
        timeout: TIMEOUT,
        run: Box::new(move |context| run(context).boxed()),
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("name", &self.name).field("needs", &self.needs).finish_non_exhaustive()
    }
}
