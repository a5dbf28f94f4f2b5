//! Tests of a wait: the notifications to the host meanwhile, and its time limit.

use super::rig::{Gate, Human, SHELL, interactive, needing_shell, operator};
use crate::{
    audit::NullSink,
    permission::{PendingApprover, Permissions},
    testing::{Inner, TestCall},
};
use mgp_transport::{
    connection::Connection,
    memory,
    seam::{CallContext, CancelToken},
};
use mgp_types::mcp::Implementation;
use std::{sync::Arc, time::Duration};
use xtask_testing::RawPeer;

#[tokio::test(start_paused = true)]
async fn progress_is_sent_after_a_second_and_then_every_five() {
    let human = Human::approving();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let (here, there) = memory::pair();
    let connection = Connection::builder(Inner::new()).over(here.0, here.1);
    let mut call = TestCall::new(r#"{"_meta":{"progressToken":"p"}}"#).profile(needing_shell());
    call.call.ext.insert(CallContext { peer: connection.peer().clone(), cancel: CancelToken::new() });
    let started = tokio::time::Instant::now();
    let waiting = tokio::spawn(gate.call(call));
    let mut host = RawPeer::new(there);
    let mut last = 0.0;
    for seconds in [1, 6, 11] {
        let notice = host.message().await;
        assert_eq!(started.elapsed().as_secs(), seconds);
        let params = &notice["params"];
        assert_eq!(
            (&notice["method"], &params["progressToken"]),
            (&"notifications/progress".into(), &"p".into())
        );
        assert!(params["message"].as_str().unwrap().contains("`mgp approve perm-"), "{notice}");
        let progress = params["progress"].as_f64().unwrap();
        // The tool's own progress follows, and must be greater.
        assert!(last < progress && progress < 0.001, "{notice}");
        last = progress;
    }
    human.go.notify_one();
    assert!(waiting.await.unwrap().unwrap().result().is_some());
}

#[tokio::test(start_paused = true)]
async fn a_host_that_sends_no_more_is_answered_at_once() {
    let gate = Gate::new(interactive(), Some(Arc::new(PendingApprover))).await;
    let (here, _there) = memory::pair();
    let connection = Connection::builder(Inner::new()).over(here.0, here.1);
    let mut call = TestCall::new("{}").profile(needing_shell());
    call.call.ext.insert(CallContext { peer: connection.peer().clone(), cancel: CancelToken::new() });
    let waiting = tokio::spawn(gate.call(call));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!waiting.is_finished());
    let started = tokio::time::Instant::now();
    connection.peer().drain();
    let reply = waiting.await.unwrap().unwrap();
    assert_eq!(started.elapsed(), Duration::ZERO);
    let open = gate.permissions.pending().await.unwrap();
    let expected = format!("waits for `mgp approve {}`; call again after that", open[0].request_id);
    assert!(reply.as_error().unwrap().message.ends_with(&expected), "{reply:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_less_for_a_host_with_a_short_timeout() {
    for (name, seconds) in [("Jan", 20), ("claude-ai", 60)] {
        let gate = Gate::new(interactive(), Some(Arc::new(PendingApprover))).await;
        let (here, _there) = memory::pair();
        let connection = Connection::builder(Inner::new()).over(here.0, here.1);
        connection.peer().session().set(Implementation::new(name, "1"));
        let mut call = TestCall::new("{}").profile(needing_shell());
        call.call.ext.insert(CallContext { peer: connection.peer().clone(), cancel: CancelToken::new() });
        let started = tokio::time::Instant::now();
        let reply = gate.call(call).await.unwrap();
        assert!(reply.as_error().is_some(), "{name}: {reply:?}");
        assert_eq!(started.elapsed().as_secs(), seconds, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_may_be_longer_than_a_clock_can_hold() {
    let gate = Gate::new(interactive(), None).await;
    let builder = Permissions::builder(interactive(), gate.store.clone(), Arc::new(NullSink));
    let builder = builder.approver(Arc::new(PendingApprover)).wait(Duration::MAX);
    let gate = Gate { permissions: builder.open().await.unwrap(), ..gate };
    let waiting = tokio::spawn(gate.call(TestCall::new("{}").profile(needing_shell())));
    tokio::time::sleep(Duration::from_secs(60 * 60)).await;
    assert!(!waiting.is_finished());
    gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
    assert!(waiting.await.unwrap().unwrap().result().is_some());
}
