//! The settings of the program around a kernel.

use crate::ParkedCalls;
use mgp_discovery::config::SecretReader;
use std::{path::PathBuf, sync::Arc, time::Duration};

/// The settings of the program around a kernel, which no configuration holds; changed by
/// [`KernelBuilder::program`](super::KernelBuilder::program).
#[derive(Debug)]
#[non_exhaustive]
pub struct ProgramSettings {
    /// The name of the configuration, such as its path, which the kernel's report for operators
    /// ([`KernelStatus`](mgp_types::lifecycle::KernelStatus)) shows. The rules of its grants are stored with the name: kernels that share their rules
    /// need different names.
    pub configuration_name: Option<String>,
    /// The kernel's own files and folders in addition to the state folder, such as its configuration. No confined server may use them.
    pub files: Vec<PathBuf>,
    /// The reader of the secrets that values of servers in the configuration name, such as `${keyring:github}`. Without a reader, such a server
    /// does not start.
    pub secrets: Option<Arc<dyn SecretReader>>,
    /// True if the kernel lives as long as one command. Registered servers are then not restarted, so that their errors are shown. The audit
    /// trail does not record servers that connect and disconnect, because such events would fill it. A greeting does not wait for servers.
    pub single_command: bool,
    /// True if no server is started with the kernel: each waits for the first request that needs it, or for
    /// [`Server::wake`](crate::Server::wake), as if it were lazy. Before that, only the contents of
    /// [`Stores::listings`](crate::Stores::listings) are known of the servers. This is for a kernel of a [single command](Self::single_command).
    pub asleep: bool,
    /// The text for hosts of an unconfigured kernel, in instructions and in empty search results.
    pub unconfigured: Option<String>,
    /// The maximum time that the instructions of a greeting wait for servers that start; 2 seconds by default.
    pub greeting_wait: Duration,
    /// The limits on parked calls: calls of hosts with a stateless revision of MCP that wait for answers of their hosts.
    pub parked_calls: ParkedCalls,
    /// True if calls, refusals, events of the audit trail and searches are counted for [`Kernel::metrics`](crate::Kernel::metrics), even if the
    /// configuration has no address for metrics. `telemetry.metrics_tools` of the configuration is the maximum number of tools that are counted
    /// separately.
    #[cfg(feature = "metrics")]
    pub metrics: bool,
}

impl Default for ProgramSettings {
    fn default() -> Self {
        Self {
            configuration_name: None,
            files: Vec::new(),
            secrets: None,
            single_command: false,
            asleep: false,
            unconfigured: None,
            // A client that probes the era of a server gives up after a few seconds.
            greeting_wait: Duration::from_secs(2),
            parked_calls: ParkedCalls::default(),
            #[cfg(feature = "metrics")]
            metrics: false,
        }
    }
}
