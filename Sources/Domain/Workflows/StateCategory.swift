/// The meaning of a state outside its workflow. Indexes, views and counts use the category instead of the
/// state.
package enum StateCategory: String, Sendable, Codable, CaseIterable {
  /// Work has not started.
  case open
  /// Work is in progress.
  case active
  /// Work is complete.
  case done
  /// Work has ended without success.
  case failed
}
