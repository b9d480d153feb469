/// The format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
  /// For people.
  case text
  /// One JSON object per line, for log collectors.
  case json
}
