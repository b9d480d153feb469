package import Domain

/// Selects jobs by state, kind and queue; nil matches any.
package struct JobFilter: Sendable, Hashable {
  package var state: JobState?
  package var kind: String?
  package var queue: String?

  package init(state: JobState? = nil, kind: String? = nil, queue: String? = nil) {
    self.state = state
    self.kind = kind
    self.queue = queue
  }

  /// True if the filter matches every job.
  package var isEmpty: Bool { self == JobFilter() }

  /// Adds conditions such as `state=dead,kind=solar.push`; a job has to meet all of them. A second condition
  /// on a column replaces the first.
  ///
  /// - Throws: `invalid_input` for text that is not `column=value`, and for an unknown column or state; the
  ///   hint names known ones.
  package mutating func add(_ text: String) throws {
    for pair in text.split(separator: ",") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.filter { $0 != " " } }
      guard halves.count == 2, !halves[1].isEmpty else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(String(pair))) is not column=value",
          hint: "write state=dead, kind=solar.push or queue=default; separate conditions with commas"
        )
      }
      switch halves[0] {
      case "state": state = try Self.state(halves[1])
      case "kind": kind = halves[1]
      case "queue": queue = halves[1]
      default:
        let columns = ["state", "kind", "queue"]
        throw DomainError(
          .invalidInput,
          "a job filter has no column \(Quoted(halves[0]))",
          hint: Suggestion.closest(to: halves[0], among: columns).map { "did you mean \($0)?" }
            ?? "use one of: \(columns.joined(separator: ", "))"
        )
      }
    }
  }

  /// Returns the state of a name.
  ///
  /// - Throws: `invalid_input` for an unknown name, with the closest known one or all of them as a hint.
  package static func state(_ name: String) throws -> JobState {
    if let state = JobState(rawValue: name) { return state }
    let all = JobState.allCases.map(\.rawValue)
    throw DomainError(
      .invalidInput,
      "there is no state \(Quoted(name))",
      hint: Suggestion.closest(to: name, among: all).map { "did you mean \($0)?" }
        ?? "use one of: \(all.joined(separator: ", "))"
    )
  }
}
