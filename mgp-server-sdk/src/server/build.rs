//! Checks a server and builds its stack.

use super::{Server, ServerStack, builder::StateType, shutdown::StopProgress};
use crate::{
    Error, Notifier,
    call::App,
    era::{self, ErasLayer},
    events::Events,
    handshake::Handshake,
    lane::{lane, ping},
    logging,
    needs::{HandlerKind, Needs},
    permission,
    prompt::Prompts,
    resource::Resources,
    router::{ChangeSource, Limits, Pages, Router, ToolLists, ToolPages, Work, completion_routes},
    seal::Seal,
    task::{MemoryTaskStore, Tasks},
    tool::{CallTools, RegisteredTool, Tool, ToolLayer, ToolParts},
};
use mgp_lifecycle::{
    gate::{Gate, LifecycleLayer},
    handshake::HandshakeLayer,
    health::{Health, ToolCounts},
    shutdown::{ShutdownMethod, shutdown},
    state::StateMachine,
};
use mgp_stream::events::EventChannels;
use mgp_transport::seam::{Extensions, Routes};
use mgp_types::{
    json::{RawJson, RawObject},
    lifecycle::ServerState,
    mcp::{self, ListPrompts, ListResourceTemplates, ListResources, ServerCapabilities, tasks::TaskSupport},
    mgp_member,
    negotiation::Extension,
    permission::Permission,
    tool_security::SecurityMetadata,
};
use std::{collections::BTreeMap, sync::Arc};
use tower_layer::Layer;

pub(super) fn build(server: Server) -> Result<ServerStack, Error> {
    let mut server = server.merged()?;
    check_limits(&server)?;
    let mut needs = ServerFeatures {
        logging: server.logging,
        asking: false,
        channels: !server.channels.is_empty(),
        states: std::mem::take(&mut server.state_types),
    };
    let (tools, definitions) = tools(server.tools, server.check_arguments, &mut needs)?;
    let has_tasks = definitions.iter().any(|tool| tool.task_support() != TaskSupport::Forbidden);
    let resources =
        Resources::new(server.resources, server.templates, |kind, of, found| needs.check(kind, of, found))?;
    let prompts = Prompts::new(server.prompts, |kind, of, found| needs.check(kind, of, found))?;

    let mut profile = server.profile;
    let name = &server.implementation.name;
    let server_id: Arc<str> = profile.server_id.get_or_insert_with(|| name.clone()).as_str().into();
    add_permissions(&mut profile.permissions_required, &definitions)?;

    let events = events(server.channels, &server_id)?;
    if events.is_some() {
        profile.extensions.insert(Extension::Events);
    }
    if needs.asking {
        profile.extensions.insert(Extension::Callbacks);
    }
    let declares = |tool: &mcp::Tool| tool.security.as_ref().is_some_and(|all| all.code_safety.is_some());
    if checks_code(&server.states) || definitions.iter().any(declares) {
        profile.extensions.insert(Extension::CodeSafety);
    }

    let notifier = Notifier::default();
    let seal = server.state_key.map_or_else(Seal::random, |key| Ok(Seal::new(key))).map_err(Error::Random)?;
    let app = App {
        states: server.states,
        notifier: notifier.clone(),
        events: events.clone(),
        seal,
        checkpoint_lifetime: server.checkpoint_lifetime,
        session_state_lifetime: server.session_state_lifetime,
        logger: name.clone(),
        logs: needs.logging,
    };
    let (app, resources, prompts) = (Arc::new(app), Arc::new(resources), Arc::new(prompts));
    let count = definitions.len() as u64;
    let gate = running(&server_id)?;
    let (limits, kept_in) = (server.task_limits, server.task_store);
    let tasks = has_tasks.then(|| {
        let store = kept_in.unwrap_or_else(|| Arc::new(MemoryTaskStore::new(limits)));
        Tasks::new(limits, store, gate.clone(), notifier.clone())
    });
    let tool_pages = tool_pages(&definitions, server.page_size)?;
    let resource_pages = resource_pages(&resources, server.page_size)?;
    let prompt_pages = prompt_pages(&prompts, server.page_size)?;
    let completes = prompts.has_completers() || resources.has_completers();
    let listening = ChangeSource {
        notifier: notifier.clone(),
        tasks: tasks.clone(),
        channels: events.as_ref().map(|events| events.channels.clone()),
        has_tools: tool_pages.is_some(),
        has_resources: resource_pages.is_some(),
        has_prompts: prompt_pages.is_some(),
    };
    let handshake = Handshake {
        implementation: server.implementation,
        instructions: server.instructions,
        capabilities: capabilities(&listening, completes, needs.logging),
        profile,
    };

    let eras = ErasLayer::new(handshake.clone(), server.cache);

    let counts = ToolCounts { available: count, total: count };
    let mut health = Health::new(server_id).gate(gate.clone()).tools(move || counts);
    for check in server.checks {
        health = health.check(check);
    }
    let (answer_shutdown, request) = shutdown(gate.clone());
    let mut routes = ping()
        .merge(Handshake::routes().with_state(handshake))
        .merge(Health::routes().with_state(health.clone()))
        .merge(ShutdownMethod::routes().with_state(answer_shutdown.admins(server.shutdown_by_admins)))
        .merge(permission::routes())
        .merge(listening.routes());
    let mut handlers = Routes::new();
    let tool_pages = tool_pages.map(Arc::new);
    let has_tools = tool_pages.is_some();
    if let Some(pages) = tool_pages {
        routes = routes.merge(ToolPages::routes().with_state(pages));
    }
    if let Some((pages, templates)) = resource_pages {
        routes = routes.merge(pages.routes(ListResources)).merge(templates.routes(ListResourceTemplates));
        routes = routes.merge(Resources::subscriptions().with_state(resources.clone()));
        handlers = handlers.merge(Resources::reading().with_state((resources.clone(), app.clone())));
    }
    if let Some(pages) = prompt_pages {
        routes = routes.merge(pages.routes(ListPrompts));
        handlers = handlers.merge(Prompts::getting().with_state((prompts.clone(), app.clone())));
    }
    if completes {
        handlers = handlers.merge(completion_routes().with_state((prompts, resources, app.clone())));
    }
    if let Some(events) = &events {
        routes =
            routes.merge(mgp_stream::events::routes(era::has_session).with_state(events.channels.clone()));
    }
    if needs.logging {
        routes = routes.merge(logging::routes());
    }
    if let Some(tasks) = &tasks {
        routes = routes.merge(Tasks::routes().with_state(tasks.clone()));
    }
    let gated = LifecycleLayer::new(gate.clone());
    let unlimited = Limits { concurrent_calls: None, ..server.limits };
    let routes = routes.merge(handlers.through(gated.layer(Work::new(handlers.clone(), unlimited))));
    let calls = CallTools::new(tools, &app, tasks.as_ref());
    let tools = has_tools.then(|| gated.layer(Work::new(calls, server.limits)));
    let router = Router { tools, routes };
    let stopping = StopProgress::new(gate, request, notifier.clone(), tasks);
    let lane = eras.layer(lane(health));
    Ok(ServerStack::new(eras.layer(HandshakeLayer::new().layer(router)), lane, (notifier, events), stopping))
}

/// The tools by name, with the layers of each.
type NamedTools = BTreeMap<Box<str>, (RegisteredTool, Vec<ToolLayer>)>;

/// The capabilities of the server that the needs of handlers are checked against.
struct ServerFeatures {
    logging: bool,
    /// True if a handler asks the client.
    asking: bool,
    channels: bool,
    states: Vec<StateType>,
}

impl ServerFeatures {
    fn check(&mut self, kind: HandlerKind, of: &str, needs: &Needs) -> Result<(), Error> {
        self.logging |= needs.needs_logging();
        self.asking |= needs.needs_asking();
        let of = || format!("{} {of:?}", kind.as_str());
        if let Some(extractor) = needs.misplaced(kind) {
            return Err(Error::MisplacedExtractor {
                of: of(),
                extractor: extractor.name(),
                owners: extractor.owners(),
            });
        }
        if let Some(extractor) = needs.repeated() {
            return Err(Error::RepeatedExtractor {
                of: of(),
                extractor: extractor.name(),
                instead: extractor.instead_of_two(),
            });
        }
        if needs.needs_channels() && !self.channels {
            return Err(Error::MissingChannels { of: of() });
        }
        match needs.missing_state(&self.states) {
            None => Ok(()),
            Some(state) => Err(Error::MissingState { of: of(), state }),
        }
    }
}

/// Returns the handle that publishes events in channels; `None` for a server without channels.
fn events(mut names: Vec<String>, server_id: &Arc<str>) -> Result<Option<Events>, Error> {
    if names.is_empty() {
        return Ok(None);
    }
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::Duplicate { kind: "channel", name: twice[0].clone() });
    }
    Ok(Some(Events::new(EventChannels::new(names)?, server_id.clone())))
}

fn check_limits(server: &Server) -> Result<(), Error> {
    if server.limits.concurrent_calls == Some(0) {
        return Err(Error::Limit { limit: "max_concurrent_calls" });
    }
    if server.limits.timeout.is_some_and(|limit| limit.is_zero()) {
        return Err(Error::Limit { limit: "call_timeout" });
    }
    if server.checkpoint_lifetime.as_secs() == 0 {
        return Err(Error::Limit { limit: "checkpoint_lifetime" });
    }
    if server.session_state_lifetime.as_secs() == 0 {
        return Err(Error::Limit { limit: "session_state_lifetime" });
    }
    if server.page_size == 0 {
        return Err(Error::Limit { limit: "page_size" });
    }
    if server.task_limits.tasks == 0 || server.task_limits.tasks_per_principal == 0 {
        return Err(Error::Limit { limit: "task_limits" });
    }
    Ok(())
}

/// Returns whether handlers check code by the server's rules (§7).
#[cfg(feature = "code-safety")]
fn checks_code(states: &Extensions) -> bool {
    states.get::<crate::code_safety::CodeRules>().is_some()
}

#[cfg(not(feature = "code-safety"))]
fn checks_code(_: &Extensions) -> bool {
    false
}

fn tools(
    tools: Vec<Tool>,
    check_arguments: bool,
    needs: &mut ServerFeatures,
) -> Result<(NamedTools, Vec<mcp::Tool>), Error> {
    let (mut by_name, mut definitions) = (NamedTools::new(), Vec::new());
    for tool in tools {
        let ToolParts { definition, task, arguments, layers, needs: needed, handler } =
            tool.into_parts(check_arguments)?;
        needs.check(HandlerKind::Tool, &definition.name, &needed)?;
        let registered = RegisteredTool {
            handler: Arc::new(handler),
            task,
            arguments,
            starts_task: needed.needs_starting_tasks(),
            saves_checkpoints: needed.saves_checkpoints(),
            keeps_session_state: needed.keeps_session_state(),
            #[cfg(feature = "http")]
            in_headers: mgp_transport::http::server::AnnotatedArguments::of_schema(
                definition.input_schema.as_ref(),
            )
            .map_err(|error| Error::Schema { tool: definition.name.clone(), problem: error.to_string() })?,
        };
        if by_name.insert(definition.name.as_str().into(), (registered, layers)).is_some() {
            return Err(Error::Duplicate { kind: "tool", name: definition.name });
        }
        definitions.push(match task {
            TaskSupport::Forbidden => definition,
            support => definition.with_task_support(support),
        });
    }
    Ok((by_name, definitions))
}

/// Adds the tools' permissions to those of the server.
fn add_permissions(required: &mut Vec<String>, tools: &[mcp::Tool]) -> Result<(), Error> {
    for permission in required.iter() {
        Permission::expand(permission)?;
    }
    let of_tools = tools.iter().filter_map(|tool| tool.security.as_ref());
    for permission in of_tools.flat_map(SecurityMetadata::permissions) {
        if !required.contains(permission) {
            required.push(permission.clone());
        }
    }
    Ok(())
}

fn tool_pages(tools: &[mcp::Tool], size: usize) -> Result<Option<ToolPages>, Error> {
    if tools.is_empty() {
        return Ok(None);
    }
    let mut without_tasks = tools.to_vec();
    without_tasks.iter_mut().for_each(|tool| drop(tool.other.remove("execution")));
    Ok(Some(ToolPages {
        with_tasks: tool_lists(tools, size)?,
        without_tasks: tool_lists(&without_tasks, size)?,
    }))
}

fn tool_lists(tools: &[mcp::Tool], size: usize) -> Result<ToolLists, Error> {
    let write = |tools: &[mcp::Tool]| {
        let written: Result<Vec<_>, _> = tools.iter().map(RawJson::from_value).collect();
        Pages::new("tools", "tools", &written?, size)
    };
    let mut plain = tools.to_vec();
    plain.iter_mut().for_each(mgp_member::strip_tool);
    Ok(ToolLists { with_security: write(tools)?, plain: write(&plain)? })
}

fn resource_pages(resources: &Resources, size: usize) -> Result<Option<(Pages, Pages)>, Error> {
    if resources.is_empty() {
        return Ok(None);
    }
    let (definitions, templates) = resources.definitions();
    let resources = Pages::new("resources", "resources", definitions, size)?;
    let templates = Pages::new("templates", "resourceTemplates", templates, size)?;
    Ok(Some((resources, templates)))
}

fn prompt_pages(prompts: &Prompts, size: usize) -> Result<Option<Pages>, Error> {
    if prompts.is_empty() {
        return Ok(None);
    }
    Pages::new("prompts", "prompts", prompts.definitions(), size).map(Some)
}

/// Returns the capabilities for the methods that the server answers.
fn capabilities(server: &ChangeSource, completes: bool, logs: bool) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default();
    if server.has_tools {
        capabilities = capabilities.with_list_changed("tools");
    }
    if server.has_resources {
        let settings: RawObject =
            [("subscribe", true.into()), ("listChanged", true.into())].into_iter().collect();
        capabilities.0.insert("resources", settings.to_json());
    }
    if server.has_prompts {
        capabilities = capabilities.with_list_changed("prompts");
    }
    if completes {
        capabilities = capabilities.with("completions");
    }
    if logs {
        capabilities = capabilities.with("logging");
    }
    if server.tasks.is_some() {
        let nested = |key: &'static str, inner: RawJson| RawObject::from_iter([(key, inner)]).to_json();
        let none = RawJson::empty_object;
        let tasks =
            [("list", none()), ("cancel", none()), ("requests", nested("tools", nested("call", none())))];
        capabilities.0.insert("tasks", RawObject::from_iter(tasks).to_json());
    }
    capabilities
}

/// Creates the gate of a server that accepts calls from the start.
fn running(server_id: &Arc<str>) -> Result<Gate, Error> {
    let machine = StateMachine::new(server_id.clone());
    for state in [ServerState::Connecting, ServerState::Connected] {
        machine.transition(state, "built").map_err(|error| Error::State(error.to_string()))?;
    }
    Ok(Gate::new(machine))
}
