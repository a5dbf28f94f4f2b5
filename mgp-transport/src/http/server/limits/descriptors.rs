//! The descriptors that the process may open: each connection takes one.

/// The most descriptors that are kept for everything else: servers' pipes, files, connections to other servers.
const KEPT: u64 = 256;

/// Returns the number of wanted connections that the process has descriptors for, and warns if there are fewer.
pub(super) fn fitting(wanted: usize) -> usize {
    let Some(limit) = limit() else { return wanted };
    let fitting = beside_others(limit);
    if wanted <= fitting {
        return wanted;
    }
    tracing::warn!(
        wanted,
        served = fitting,
        descriptors = limit,
        "the process may open too few files for that many connections: raise the limit (`ulimit -n`) or set fewer connections \
         (`http.max_connections`)"
    );
    fitting
}

/// Returns the number of connections that a limit allows after everything else.
fn beside_others(limit: u64) -> usize {
    (limit - KEPT.min(limit / 4)).try_into().unwrap_or(usize::MAX)
}

#[cfg(unix)]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_file_descriptors_for_everything_else() {
        assert_eq!([256, 1024, 20_000].map(beside_others), [192, 768, 19_744]);
        assert_eq!(fitting(1), 1);
    }

    #[cfg(unix)]
    #[test]
    fn connections_stay_within_the_process_s_descriptor_limit() {
        let Some(limit) = limit() else { return };
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        assert_eq!(fitting(wanted), beside_others(limit));
    }
}
