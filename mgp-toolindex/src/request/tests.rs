//! Tests of requests for capabilities: every status, what is loaded, and what nobody learns.

use super::{Approvals, RequestOutcome, Requests};
use crate::{
    budget::{Budget, ToolContextBudget},
    catalogue::Catalogue,
    discover::AllConnected,
    fixtures::{FewTools, Prices},
    session::{PinnedTools, Sessions, ToolSession},
    tool::IndexedTool,
};
use async_trait::async_trait;
use mgp_transport::seam::{ToolView, Visibility};
use mgp_types::{
    context::{Principal, RiskLevel, ToolId},
    json::RawJson,
    permission::PermissionState,
    rpc::ErrorObject,
    tool_index::{PendingPermission, RequestStatus, RequestToolsParams, ToolRequirements},
};
use parking_lot::Mutex;
use std::sync::Arc;

const TOOLS: &[(&str, RiskLevel)] = &[
    (
        r#"{"name":"compute_statistics","description":"Computes mean and variance.","price":500,
            "inputSchema":{"properties":{"csv":{"type":"string"}}}}"#,
        RiskLevel::Moderate,
    ),
    (r#"{"name":"statistics_of_text","description":"Counts words.","price":400}"#, RiskLevel::Safe),
    (r#"{"name":"draw_chart","description":"Draws a chart.","price":800}"#, RiskLevel::Moderate),
    (
        r#"{"name":"take_picture","description":"Takes a picture with the camera.","price":100}"#,
        RiskLevel::Dangerous,
    ),
    (r#"{"name":"huge_report","description":"Writes a report.","price":9000}"#, RiskLevel::Safe),
    (r#"{"name":"hidden_telescope","description":"Looks at stars.","price":100}"#, RiskLevel::Safe),
];

/// Everybody may call these; the picture waits for a permission, and the telescope is nobody's.
const OFFERED: &[&str] = &["s.compute_statistics", "s.statistics_of_text", "s.draw_chart", "s.huge_report"];

#[derive(Debug)]
struct Rules;

impl Visibility for Rules {
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView> {
        Arc::new(FewTools::these(if principal.id() == "ann" { OFFERED } else { &[] }))
    }
}

/// Notes what it was asked to open.
#[derive(Debug, Default)]
struct Camera {
    opened: Mutex<Vec<ToolId>>,
}

#[async_trait]
impl Approvals for Camera {
    fn waiting(&self, principal: &Principal) -> Arc<dyn ToolView> {
        Arc::new(FewTools::these(if principal.id() == "ann" { &["s.take_picture"] } else { &[] }))
    }

    async fn open(&self, tool: &ToolId) -> Result<Vec<PendingPermission>, ErrorObject> {
        self.opened.lock().push(tool.clone());
        Ok(vec![PendingPermission {
            permission: "camera".into(),
            request_id: "perm-1".into(),
            state: PermissionState::Deferred,
        }])
    }
}

struct Rig {
    requests: Requests,
    approvals: Arc<Camera>,
    session: ToolSession,
}

async fn rig_of(tools: &[(&str, RiskLevel)]) -> Rig {
    let catalogue = Catalogue::new(["s"]).unwrap();
    let tool = |(definition, risk): &(&str, RiskLevel)| {
        IndexedTool::new("s", &RawJson::parse((*definition).to_owned()).unwrap(), *risk).unwrap()
    };
    catalogue.update_server("s", tools.iter().map(tool).collect()).await.unwrap();
    let budget = Budget::new(ToolContextBudget::default()).unwrap().with_counter(Arc::new(Prices::default()));
    let sessions = Sessions::new(catalogue, Arc::new(Rules), PinnedTools::default(), budget);
    let approvals = Arc::new(Camera::default());
    let requests = Requests::new(sessions, Arc::new(AllConnected), approvals.clone());
    Rig { requests, approvals, session: ToolSession::default() }
}

async fn rig() -> Rig {
    rig_of(TOOLS).await
}

fn wants(capabilities: &[&str]) -> RequestToolsParams {
    let capabilities = capabilities.iter().map(ToString::to_string).collect();
    let requirements = ToolRequirements { capabilities, ..ToolRequirements::default() };
    RequestToolsParams { requirements, ..RequestToolsParams::default() }
}

impl Rig {
    async fn ask_as(&self, agent: &str, params: &RequestToolsParams) -> Result<RequestOutcome, ErrorObject> {
        self.requests.request(&Principal::agent(agent), &self.session, params, false).await
    }

    async fn ask(&self, params: &RequestToolsParams) -> (RequestStatus, Vec<String>, Vec<String>) {
        let result = self.ask_as("ann", params).await.unwrap().result;
        let loaded = result.tools_loaded.into_iter().map(|tool| tool.name).collect();
        (result.status, loaded, result.tools_unavailable)
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_request_is_fulfilled_if_each_capability_has_a_tool() {
    let rig = rig().await;
    let RequestOutcome { result, changed, .. } =
        rig.ask_as("ann", &wants(&["computeStatistics", "chart"])).await.unwrap();
    assert_eq!((result.status, changed), (RequestStatus::Fulfilled, true));
    let loaded: Vec<_> = result.tools_loaded.iter().map(|tool| tool.name.as_str()).collect();
    assert!(loaded.starts_with(&["compute_statistics", "draw_chart"]), "{loaded:?}");
    assert_eq!(result.session_tools_count, loaded.len() as u64);
    assert_eq!(result.notes, None);
    assert!(result.tools_loaded[0].input_schema.as_str().contains("csv"));
    // Asked for again, it is there, and nothing is added.
    let again = rig.ask_as("ann", &wants(&["chart"])).await.unwrap();
    assert_eq!((again.result.context_tokens_added, again.changed), (0, false));
}

#[tokio::test]
async fn only_new_tools_count_as_added_tokens() {
    let rig = rig().await;
    assert_eq!(rig.ask_as("ann", &wants(&["draw_chart"])).await.unwrap().result.context_tokens_added, 800);
    let more = rig.ask_as("ann", &wants(&["draw_chart", "compute_mean_and_variance"])).await.unwrap().result;
    assert_eq!((more.context_tokens_added, more.session_tools_count), (500, 2));
}

#[tokio::test]
async fn a_partial_request_names_the_unserved_capabilities() {
    let (status, loaded, unavailable) = rig().await.ask(&wants(&["draw_chart", "play_chess"])).await;
    assert_eq!((status, loaded), (RequestStatus::Partial, texts(&["draw_chart"])));
    assert_eq!(unavailable, ["play_chess"]);
}

#[tokio::test]
async fn a_request_without_any_tool_is_unavailable() {
    let (status, loaded, unavailable) = rig().await.ask(&wants(&["play_chess"])).await;
    assert_eq!((status, loaded, unavailable), (RequestStatus::Unavailable, vec![], texts(&["play_chess"])));
}

#[tokio::test]
async fn the_index_itself_never_answers_with_creating() {
    let rig = rig().await;
    let params =
        RequestToolsParams { reason: Some("capability_gap".into()), ..wants(&["create_a_new_tool"]) };
    assert_eq!(rig.ask(&params).await.0, RequestStatus::Unavailable);
}

#[tokio::test]
async fn a_pending_permission_is_named_and_the_operator_asked() {
    let rig = rig().await;
    let result = rig.ask_as("ann", &wants(&["take_picture"])).await.unwrap().result;
    assert_eq!(result.status, RequestStatus::PendingApproval);
    assert!(result.tools_loaded.is_empty() && result.tools_unavailable.is_empty());
    let approvals = result.notes.unwrap().pending_approvals;
    assert_eq!(
        (approvals[0].capability.as_str(), approvals[0].name.as_str()),
        ("take_picture", "take_picture")
    );
    assert_eq!(approvals[0].permissions[0].permission, "camera");
    assert_eq!(*rig.approvals.opened.lock(), [ToolId::new("s", "take_picture")]);
}

#[tokio::test]
async fn pending_permissions_are_named_in_a_partial_answer() {
    let rig = rig().await;
    let result = rig.ask_as("ann", &wants(&["draw_chart", "take_picture"])).await.unwrap().result;
    assert_eq!((result.status, result.tools_loaded.len()), (RequestStatus::Partial, 1));
    assert_eq!(result.notes.unwrap().pending_approvals.len(), 1);
}

#[tokio::test]
async fn a_capability_with_a_callable_tool_asks_nobody() {
    let rig = rig().await;
    rig.ask(&wants(&["draw_picture_chart"])).await;
    assert!(rig.approvals.opened.lock().is_empty());
}

#[tokio::test]
async fn a_clearly_worse_tool_does_not_replace_a_pending_one() {
    let makeshift =
        r#"{"name":"draw_chart","description":"Draws a chart and saves it as a picture.","price":800}"#;
    let camera = TOOLS.iter().find(|(text, _)| text.contains("take_picture")).unwrap();
    let rig = rig_of(&[(makeshift, RiskLevel::Moderate), *camera]).await;
    let result = rig.ask_as("ann", &wants(&["take_picture"])).await.unwrap().result;
    assert_eq!(result.status, RequestStatus::PendingApproval);
    assert_eq!(result.tools_loaded.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["draw_chart"]);
    assert_eq!(result.notes.unwrap().pending_approvals[0].name, "take_picture");
    assert_eq!(*rig.approvals.opened.lock(), [ToolId::new("s", "take_picture")]);
    // It is more dangerous than preferred.
    let rig = rig_of(&[(makeshift, RiskLevel::Moderate), *camera]).await;
    let mut params = wants(&["take_picture"]);
    params.requirements.preferred_risk_level = Some(RiskLevel::Moderate);
    assert_eq!(rig.ask(&params).await.0, RequestStatus::Fulfilled);
    assert!(rig.approvals.opened.lock().is_empty());
}

#[tokio::test]
async fn a_tool_without_space_serves_nothing_and_is_explained() {
    let rig = rig().await;
    let answered = rig.ask_as("ann", &wants(&["huge_report", "levitate_a_house"])).await.unwrap();
    assert_eq!(answered.missing, ["levitate_a_house"]);
    let result = answered.result;
    assert_eq!(
        (result.status, result.tools_unavailable),
        (RequestStatus::Unavailable, texts(&["huge_report", "levitate_a_house"]))
    );
    let cut = result.notes.unwrap().cut.unwrap();
    assert_eq!((cut.too_large[0].name.as_str(), cut.too_large[0].tokens), ("huge_report", 9000));
}

#[tokio::test]
async fn the_preferred_risk_is_kept_if_anything_else_serves() {
    let rig = rig().await;
    let prefers = |risk, capability| {
        let mut params = wants(&[capability]);
        params.requirements.preferred_risk_level = Some(risk);
        params
    };
    let (_, loaded, _) = rig.ask(&prefers(RiskLevel::Safe, "statistics")).await;
    assert_eq!(loaded, ["statistics_of_text"]);
    let (status, loaded, _) = rig.ask(&prefers(RiskLevel::Safe, "draw_chart")).await;
    assert_eq!((status, loaded), (RequestStatus::Fulfilled, texts(&["draw_chart"])));
}

#[tokio::test]
async fn types_and_context_decide_between_serving_tools() {
    let rig = rig().await;
    let first = async |params: &RequestToolsParams| rig.ask(params).await.1.swap_remove(0);
    let mut by_type = wants(&["statistics"]);
    by_type.requirements.input_types = Some(texts(&["csv"]));
    assert_eq!(first(&by_type).await, "compute_statistics");
    let context = "counting the words of a letter".to_owned();
    assert_eq!(
        first(&RequestToolsParams { context: Some(context), ..wants(&["statistics"]) }).await,
        "statistics_of_text"
    );
}

#[tokio::test]
async fn without_access_the_answer_does_not_reveal_a_tool() {
    let (with, without) = (rig().await, rig_of(&[]).await);
    for capabilities in
        [&["statistics"][..], &["take_picture"], &["huge_report", "chart"], &["hidden_telescope"]]
    {
        let answer = async |rig: &Rig| {
            serde_json::to_string(&rig.ask_as("eve", &wants(capabilities)).await.unwrap().result).unwrap()
        };
        assert_eq!(answer(&with).await, answer(&without).await, "{capabilities:?}");
    }
    assert!(with.approvals.opened.lock().is_empty(), "no operator is asked on behalf of who has no access");
    let hidden = rig().await.ask(&wants(&["hidden_telescope"])).await;
    assert_eq!(hidden, (RequestStatus::Unavailable, vec![], texts(&["hidden_telescope"])));
}

#[tokio::test]
async fn an_out_of_bounds_value_is_named() {
    let (long, many) = ("x".repeat(5000), vec!["x"; 21]);
    let with = |change: fn(&mut RequestToolsParams, &str)| {
        let mut params = wants(&["x"]);
        change(&mut params, &long);
        params
    };
    for (params, text) in [
        (wants(&[]), "invalid requirements.capabilities: 0 entries: expected 1 to 20"),
        (wants(&many), "invalid requirements.capabilities: 21 entries: expected 1 to 20"),
        (wants(&["x", " _ "]), "invalid requirements.capabilities[1]: empty: expected a word or a few"),
        (wants(&[&long]), "invalid requirements.capabilities[0]: 5000 bytes: expected at most 256"),
        (
            with(|params, long| params.context = Some(long.into())),
            "invalid context: 5000 bytes: expected at most 4096",
        ),
        (
            with(|params, long| params.reason = Some(long.into())),
            "invalid reason: 5000 bytes: expected at most 1024",
        ),
        (
            with(|params, _| params.task_trace_id = Some("a b".into())),
            "invalid task_trace_id: \"a b\" is not an id",
        ),
        (
            with(|params, _| params.requirements.input_types = Some(vec!["x".into(); 21])),
            "invalid requirements.input_types: 21 entries: expected at most 20",
        ),
        (
            with(|params, long| params.requirements.output_types = Some(vec![long.into()])),
            "invalid requirements.output_types[0]: 5000 bytes: expected at most 128",
        ),
    ] {
        let error = rig().await.ask_as("ann", &params).await.unwrap_err();
        assert!(error.code == -32602 && error.message.starts_with(text), "{error}");
    }
}
