//! `completion/complete`: proposals for the arguments of prompts and the variables of resource templates.

use crate::{
    ToolError,
    asking::RunOutcome,
    call::{App, Arguments, Call},
    extract::Prefix,
    handler::replied,
    prompt::{Prompts, texts},
    resource::Resources,
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::{Incoming, Role, Routes};
use mgp_types::{
    mcp::{Complete, CompleteParams, CompleteResult, Completion, CompletionReference},
    printable::quoted,
    rpc::ErrorObject,
};
use std::sync::Arc;

/// The future of a running completion.
type CompletionFuture = BoxFuture<'static, Result<RunOutcome<CompleteResult>, ToolError>>;

/// Returns `completion/complete`.
pub(crate) fn completion_routes() -> Routes<(Arc<Prompts>, Arc<Resources>, Arc<App>)> {
    Routes::new().route(Complete, Role::Anyone, async |(prompts, resources, app), message| {
        let (prompts, resources): (Arc<Prompts>, Arc<Resources>) = (prompts, resources);
        replied(complete(message, &prompts, &resources, app)?).await
    })
}

/// Answers `completion/complete`. An argument without a function has no proposals.
fn complete(
    mut incoming: Incoming,
    prompts: &Prompts,
    resources: &Resources,
    app: Arc<App>,
) -> Result<CompletionFuture, ErrorObject> {
    let CompleteParams { reference, argument, context, .. } = incoming.params.decode()?;
    let completers = match &reference {
        CompletionReference::Prompt { name, .. } => prompts.completers(name),
        CompletionReference::Resource { uri } => resources.completers(uri),
    };
    let completers = completers.ok_or_else(|| unknown(&reference))?;
    let Some(handler) = completers.find(&argument.name) else {
        let completion = Completion { values: Vec::new(), total: Some(0), has_more: Some(false) };
        return Ok(async move { Ok(RunOutcome::Done(CompleteResult { completion, meta: None })) }.boxed());
    };
    let filled = texts(&context.and_then(|context| context.arguments).unwrap_or_default())?;
    incoming.ext.insert(Prefix(argument.value.into()));
    let running = handler.start(Call::new(incoming, Arguments::Texts(filled), app));
    let replied = |answered: Result<_, ToolError>| match answered? {
        RunOutcome::Done(completion) => Ok(RunOutcome::Done(CompleteResult { completion, meta: None })),
        // MCP has no rounds of input for completions.
        RunOutcome::Asks(_) => Err(ToolError::new("a completion cannot ask its client")),
    };
    Ok(running.map(replied).boxed())
}

fn unknown(reference: &CompletionReference) -> ErrorObject {
    ErrorObject::invalid_params(match reference {
        CompletionReference::Prompt { name, .. } => {
            format!("invalid params: ref: unknown prompt {}", quoted(name))
        }
        CompletionReference::Resource { uri } => {
            format!("invalid params: ref: unknown resource template {}", quoted(uri))
        }
    })
}
