//! The kernel in whose process a command runs: commands of the console need no kernel of their own.

use mgp_kernel::Kernel;
use tokio::task_local;

task_local! {
    static KERNEL: Option<Kernel>;
}

/// Returns the kernel of the gateway in whose process the running command was started; `None` for a command line.
pub(crate) fn own_kernel() -> Option<Kernel> {
    KERNEL.try_with(Clone::clone).ok().flatten()
}

/// Runs a command in the process of a gateway.
#[cfg(feature = "console")]
pub(crate) async fn in_gateway<T>(kernel: Option<Kernel>, command: impl Future<Output = T>) -> T {
    KERNEL.scope(kernel, command).await
}
