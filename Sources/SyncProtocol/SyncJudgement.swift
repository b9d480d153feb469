/// The server's judgement on a change. The first four are final: a repetition gets the same one.
public enum SyncJudgement: String, Sendable, Codable, CaseIterable {
  /// The change was applied as sent.
  case applied
  /// The change was applied to a version that the device did not know, whose other fields had changed.
  case merged
  /// The server has something else; a person decides.
  case conflict
  /// The change is refused for good.
  case rejected
  /// An earlier change of the same record waits for a person.
  case blocked
  /// The server could not judge the change now.
  case retry

  /// True if the judgement is stored.
  public var isFinal: Bool { self != .blocked && self != .retry }

  /// The event that the judgement is for a change that was sent.
  public var event: SyncItem.Event {
    switch self {
    case .applied, .merged: .acknowledge
    case .conflict: .conflict
    case .rejected: .reject
    // A server that cannot judge now, and a change that was not tried, are no failed attempts: the change waits as before.
    case .retry, .blocked: .restart
    }
  }
}
