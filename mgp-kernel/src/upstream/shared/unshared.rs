//! The reasons why a server with `shared = true` is not shared.

#[cfg(any(test, feature = "child"))]
use crate::upstream::Endpoint;
use crate::upstream::ServerSpec;

/// Clears [`ServerSpec::shared`] if the server cannot be shared, with a warning that gives the reason. `is_receiver` is true for the audit
/// server.
pub(in crate::upstream) fn settle(spec: &mut ServerSpec, is_receiver: bool) {
    if !spec.shared {
        return;
    }
    if let Some(why) = why_not(spec, is_receiver) {
        let server = &*spec.id;
        tracing::warn!(
            server,
            "servers.mgp.shared is ignored, and this kernel uses the server on its own: {why}"
        );
        spec.shared = false;
    }
}

fn why_not(spec: &ServerSpec, is_receiver: bool) -> Option<&'static str> {
    #[cfg(feature = "child")]
    let is_process = matches!(spec.endpoint, Endpoint::Child(_));
    #[cfg(not(feature = "child"))]
    let is_process = false;
    let reasons = [
        (!cfg!(unix), "this system has no sockets in files"),
        (spec.endpoint.is_http(), "a server at a URL serves several kernels anyway"),
        (!is_process, "only a server with a `command` has a process that can be shared"),
        (spec.kernel_files.state_folder.is_none(), "this kernel has no state folder, in which kernels meet"),
        (is_receiver, "the audit server gets the events of each kernel"),
        (spec.session.is_some(), "it belongs to one session of a host"),
        (
            !spec.era.allows_sessions(),
            "era = \"stateless\" is set; a shared server is spoken to with `initialize`, so leave era out",
        ),
    ];
    reasons.into_iter().find_map(|(holds, why)| holds.then_some(why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InProcess;

    #[test]
    fn a_server_without_its_own_process_is_not_shared() {
        let endpoint = Endpoint::InProcess(InProcess::new(|| mgp_transport::memory::pair().0));
        let mut spec = ServerSpec::new("a", endpoint);
        spec.shared = true;
        settle(&mut spec, false);
        assert!(!spec.shared);
    }

    #[cfg(all(unix, feature = "child"))]
    #[test]
    fn each_reason_against_sharing_is_named() {
        use mgp_client_sdk::EraChoice;
        let command = mgp_transport::child::ChildCommand::new("a", "true");
        let mut spec = ServerSpec::new("a", command);
        spec.shared = true;
        assert!(why_not(&spec, false).unwrap().contains("no state folder"));
        spec.kernel_files.state_folder = Some("/tmp".into());
        assert_eq!(why_not(&spec, false), None);
        assert!(why_not(&spec, true).unwrap().contains("audit server"));
        spec.era = EraChoice::Known(mgp_client_sdk::Era::Stateless);
        assert!(why_not(&spec, false).unwrap().contains("era = \"stateless\""));
    }
}
