/// The completion script for fish, which parses a command line once.
///
/// The generated script has thousands of conditions, and each parses the command line: a completion
/// takes seconds, and fish completes at every key.
enum FishScript {
  /// The beginnings of the two functions that the conditions call.
  private static let conditions = [
    "function __fettle_should_offer_completions_for_flags_or_options -a expected_commands\n",
    "function __fettle_should_offer_completions_for_positional -a expected_commands"
      + " positional_index_comparison expected_positional_index\n",
  ]

  private static let comparison = """
    # Compares the commands of the line with others. Each line is parsed once.
    function __fettle_is_at -a expected_commands
        set -l line (commandline -pc | string collect)
        if not set -q __fettle_line; or test "$line" != "$__fettle_line"
            set -l non_repeating_flags_or_options
            set -l non_repeating_flags_or_options_absent 0
            set -l positional_index 0
            set -l commands
            __fettle_parse_tokens
            set -g __fettle_line $line
            set -g __fettle_commands "$commands"
        end
        test "$__fettle_commands" = "$expected_commands"
    end


    """

  /// Returns the generated script with the comparison before each condition's own parsing.
  static func quickened(_ script: String) -> String {
    conditions.reduce(comparison + script) { text, start in
      text.replacing(start, with: "\(start)    __fettle_is_at $expected_commands; or return 1\n")
    }
  }
}
