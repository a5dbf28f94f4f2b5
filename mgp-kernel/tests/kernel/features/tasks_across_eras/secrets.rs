//! Secrets in the results of tasks.

use super::support::{begin, each_era_pair, host, look_until, outcome};
use crate::{features::eras, support::start};
use mgp_kernel::{Era, SecretPolicy};
use mgp_server_sdk::{
    Server, Tool, ToolError,
    task::{StartTask, TaskSupport},
};
use mgp_types::{access::DefaultPolicy, rpc::ErrorObject};
use serde_json::json;

/// A token that was made up, in two parts so that no scanner takes this file for a leak.
fn token() -> String {
    format!("ghp{}", "_x7Qd2LwZ9rTb4NcV8sKf1JhG5mYp3AeU6oRi")
}

#[tokio::test]
async fn the_result_of_a_task_is_masked_wherever_it_is_kept() {
    for (host_era, server_era) in each_era_pair() {
        let leaks = Tool::new("leak", "Tells a token", async || token());
        let server = Server::new("tasks", "1").tool(leaks.task(TaskSupport::Optional).read_only(true));
        let mut spec = eras::spec("srv", server_era, &server.build().unwrap());
        (spec.default_policy, spec.secrets) = (DefaultPolicy::OptOut, SecretPolicy::Mask);
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let mut host = host(&setup, host_era).await;
        let task = begin(&mut host, host_era, "leak").await;
        look_until(&mut host, &task, "completed").await;
        let result = outcome(&mut host, host_era, &task).await;
        assert_eq!(result["content"][0]["text"], "[secret: github-pat]", "{host_era:?} {server_era:?}");
        assert!(!format!("{:?}{:?}", host.read, setup.sink.events()).contains(&token()));
    }
}

#[tokio::test]
async fn the_messages_of_listed_tasks_are_masked() {
    for server_era in [Era::Initialize, Era::Stateless] {
        let fails = async |start: StartTask| {
            start.begin().await;
            Err::<String, _>(ToolError::protocol(ErrorObject::new(-7, token())))
        };
        let tool = Tool::new("leak", "Fails with a token", fails);
        let server = Server::new("tasks", "1").tool(tool.task(TaskSupport::Required).read_only(true));
        let mut spec = eras::spec("srv", server_era, &server.build().unwrap());
        (spec.default_policy, spec.secrets) = (DefaultPolicy::OptOut, SecretPolicy::Mask);
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let mut host = host(&setup, Era::Initialize).await;
        let task = begin(&mut host, Era::Initialize, "leak").await;
        look_until(&mut host, &task, "failed").await;
        let listed = host.get("tasks/list", json!({})).await["tasks"].take();
        assert_eq!(listed[0]["taskId"], task["taskId"], "{server_era:?}");
        assert_eq!(listed[0]["statusMessage"], "[secret: github-pat]", "{server_era:?}: {listed}");
        assert!(!format!("{:?}{:?}", host.read, setup.sink.events()).contains(&token()));
    }
}
