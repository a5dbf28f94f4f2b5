//! The words of the page.

use super::table::words;

words! {
    /// The page of tools.
    ToolWords {
        title task server risk risk_most risk_unknown any agent default_agent other_agents make_rule show safe moderate dangerous
        count_one count_many tool description suspect changed decide not_connected hidden_one hidden_many
        none none_help none_fit none_fit_help none_found none_found_help more_one more_many
        found_one found_many searched took by_words by_meaning by_category above_one above_many above_show
        score why words_in like_name meaning deprecated same_as command curl curl_help
        all_tools own_name confirmation permissions no_permissions never_called validators confinement pinned secrets
        takes measured calls quota until its_calls try_it access rule source change
        claims claims_help read_only destructive idempotent open_world yes no
        definition shown_otherwise input_schema output_schema as_json
        whole whole_help no_arguments required left_out default texts_help json_help integer_help number_help
        options as_agent as_agent_help timeout confirm_first provenance check call confirm waiting
        tool_answered tool_failed refused allowed allowed_after why_allowed
        picture sound bytes not_shown no_content metadata table resource name media_type
        member_one member_many item_one item_many
    }
}
