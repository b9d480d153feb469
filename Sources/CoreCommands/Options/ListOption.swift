/// The values of an option for a list, which may be given more than once: `--columns a,b --columns c`.
///
/// Declare every option for a list as `[String]`. As a `String`, a second one would replace the first in silence.
extension [String] {
  /// All values in one comma-separated list; nil if the option is not given.
  package var list: String? { isEmpty ? nil : joined(separator: ",") }
}
