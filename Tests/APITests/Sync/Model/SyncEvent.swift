/// An event of the model. `salt` chooses its record and values, so that an event means the same after others were removed.
struct SyncEvent: Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    case create, patch, transition, delete, direct, reassign, sync, syncTwo, reopen, role, session, resolve
  }

  let kind: Kind
  let phone: Int
  let salt: UInt64

  var description: String { "\(kind.rawValue)(\(phone), \(salt))" }

  /// Returns the history of a seed.
  static func history(seed: UInt64, length: Int, phones: Int) -> [SyncEvent] {
    var generator = SeededGenerator(seed: seed)
    let weights: [(Kind, Int)] = [
      (.create, 10), (.patch, 22), (.transition, 6), (.delete, 4), (.direct, 8), (.reassign, 4), (.sync, 30),
      (.syncTwo, 4), (.reopen, 5), (.role, 3), (.session, 1), (.resolve, 4),
    ]
    let deck = weights.flatMap { Array(repeating: $0.0, count: $0.1) }
    return (0..<length).map { _ in
      SyncEvent(
        kind: deck.randomElement(using: &generator) ?? .sync,
        phone: Int.random(in: 0..<phones, using: &generator),
        salt: generator.next() >> 40
      )
    }
  }
}
