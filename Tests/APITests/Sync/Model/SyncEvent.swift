import TestDatabase
import TestTools

/// An event of the model. `salt` chooses its record and values, so that an event means the same after others were removed.
struct SyncEvent: Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    case create, patch, transition, delete, direct, reassign, sync, syncTwo, reopen, role, session, resolve
    /// A phone takes a photo.
    case photo
    /// Hours are written down, or a machine is renamed, without a phone: entries show both.
    case log, rename
    /// PostgreSQL and all its processes are killed while a phone synchronises.
    case crash
    /// The database is copied; a later restore goes back to the last copy.
    case backup
    case restore
    /// The folder of a phone's app is copied to another phone.
    case clone
    /// Half a year passes, in which a phone was not seen, and the server forgets what no other phone needs.
    case trim
    /// A device with other software sends what ours never sends.
    case stray
    /// A private record is refused.
    case secret
    /// A phone synchronises while changes cannot be judged.
    case unjudged
    /// A phone synchronises while judgements cannot be stored.
    case unstored
    /// A phone synchronises while another session holds one of the records that it changed.
    case held
    /// Old deletions are removed while another session holds the gate.
    case trimHeld
    /// All phones create a record and synchronise at the same moment, on a server whose commits end in any order.
    case together
    /// A visitor's record becomes a member's.
    case visit
    /// A phone keeps work that is done for other days from now on.
    case window
    /// Weeks pass for the windows of phones.
    case age

    /// True if the event needs a PostgreSQL of its own.
    var isOfServer: Bool { [.crash, .backup, .restore, .unstored, .together].contains(self) }
  }

  let kind: Kind
  let phone: Int
  let salt: UInt64

  var description: String { "\(kind.rawValue)(\(phone), \(salt))" }

  /// Returns the history of a seed.
  ///
  /// - Parameter faults: the faults of servers and phones to insert at random places, in this order.
  static func history(seed: UInt64, length: Int, phones: Int, faults: [Kind] = []) -> [SyncEvent] {
    var generator = SeededRandom(seed: seed)
    let weights: [(Kind, Int)] = [
      (.create, 10), (.patch, 22), (.transition, 6), (.delete, 4), (.direct, 8), (.reassign, 4), (.sync, 30),
      (.syncTwo, 4), (.reopen, 5), (.role, 3), (.session, 1), (.resolve, 4), (.photo, 6), (.log, 3),
      (.rename, 2),
    ]
    let deck = weights.flatMap { Array(repeating: $0.0, count: $0.1) }
    func event(_ kind: Kind?) -> SyncEvent {
      SyncEvent(
        kind: kind ?? deck.randomElement(using: &generator) ?? .sync,
        phone: Int.random(in: 0..<phones, using: &generator),
        salt: generator.next() >> 40
      )
    }
    var history = (0..<length).map { _ in event(nil) }
    let places = faults.map { _ in Int.random(in: 0...length, using: &generator) }.sorted()
    for (place, fault) in zip(places, faults).reversed() { history.insert(event(fault), at: place) }
    for kind in [
      Kind.stray, .stray, .secret, .unjudged, .unjudged, .held, .trimHeld, .visit, .window, .age, .window,
      .age,
    ] {
      let place = Int.random(in: 0...history.count, using: &generator)
      history.insert(event(kind), at: place)
    }
    return history
  }

  /// Returns the faults of a seed in a long run: a crash in one of ten, a restore in six of fifty, a copied phone in
  /// one of ten, half a year in one of four. Every server of its own once cannot store judgements, and three times has
  /// all phones at once.
  static func faults(seed: UInt64) -> [Kind] {
    var faults: [Kind] = []
    // One in fifty has a crash and a restore.
    if seed % 10 == 7 || seed % 50 == 25 { faults += [.backup, .restore] }
    if seed % 10 == 5 { faults.insert(.crash, at: Int(seed / 10) % (faults.count + 1)) }
    if !faults.isEmpty { faults += [.unstored, .together, .together, .together] }
    if seed % 10 == 0 { faults.append(.clone) }
    if seed % 4 == 2 { faults.append(.trim) }
    return faults
  }
}
