/// How lines of the log are written.
package enum LogFormat: String, CaseIterable, Sendable {
  /// For people.
  case text
  /// One JSON object a line, for collectors.
  case json
}
