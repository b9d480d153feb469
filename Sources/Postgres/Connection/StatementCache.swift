/// A statement that the server has prepared under a name.
final class PreparedStatement {
  let name: String
  let types: [UInt32]
  var isPrepared = false
  var lastUse = 0

  init(name: String, types: [UInt32]) {
    self.name = name
    self.types = types
  }
}

/// The prepared statements of one connection: at most ``limit``; the least recently used one is evicted.
struct StatementCache {
  /// The text of a statement as a dictionary key.
  private struct Key: Hashable {
    let utf8: [UInt8]

    /// Length and a few bytes distinguish the statements of one program well enough; equality compares the
    /// whole text.
    func hash(into hasher: inout Hasher) {
      hasher.combine(utf8.count)
      let step = utf8.count / 16 + 1
      for index in stride(from: step / 2, to: utf8.count, by: step) { hasher.combine(utf8[index]) }
    }
  }

  let limit: Int
  private var statements: [Key: PreparedStatement] = [:]
  /// Names of evicted statements that are still to be deallocated on the server.
  private(set) var evicted: [String] = []
  /// Counts the uses of statements.
  private var clock = 0
  private var number = 0
  // The prefix is unique per connection. Behind a pooler that switches server processes, a name known to the
  // process was therefore prepared by this connection, never by another client.
  private let prefix = String(UInt64.random(in: (1 << 35)..<(1 << 40)), radix: 36)

  init(limit: Int = 256) {
    self.limit = limit
  }

  var count: Int { statements.count }

  /// Returns the statement with this text and these types of values; a new one is not prepared yet.
  mutating func statement(for sql: SQL) -> PreparedStatement {
    clock += 1
    let key = Key(utf8: sql.utf8)
    if let known = statements[key] {
      if Self.matches(known.types, sql.parameters.slots) {
        known.lastUse = clock
        return known
      }
      remove(known, key)
    } else if statements.count >= limit {
      evictOldest()
    }
    number += 1
    let name = "\(prefix)_\(String(number, radix: 36))"
    let new = PreparedStatement(name: name, types: sql.parameters.slots.map(\.type))
    new.lastUse = clock
    statements[key] = new
    return new
  }

  /// Removes a statement that the server has lost or rejects, so that it is prepared again.
  mutating func forget(_ sql: SQL) {
    let key = Key(utf8: sql.utf8)
    if let known = statements[key] { remove(known, key) }
  }

  /// Returns the names of statements to deallocate on the server, once.
  mutating func takeEvicted() -> [String] {
    defer { evicted = [] }
    return evicted
  }

  /// Forgets all statements without deallocating them.
  mutating func removeAll() {
    statements = [:]
    evicted = []
  }

  private mutating func evictOldest() {
    // Scans at most 256 entries, and only for a new text while the cache is full.
    guard let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    remove(oldest.value, oldest.key)
  }

  private mutating func remove(_ statement: PreparedStatement, _ key: Key) {
    statements[key] = nil
    if statement.isPrepared { evicted.append(statement.name) }
  }

  private static func matches(_ types: [UInt32], _ slots: [ParameterBuffer.Slot]) -> Bool {
    guard types.count == slots.count else { return false }
    for index in types.indices where types[index] != slots[index].type { return false }
    return true
  }
}
