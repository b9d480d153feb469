/// What all viewers of the console share, read again when it is too old, so that ten viewers cost the statements of one.
actor SharedReading<Value: Sendable> {
  /// The age after which a value is read again.
  private let freshness: Duration
  private var kept: [String: (value: Value, at: ContinuousClock.Instant)] = [:]
  private var readings: [String: Task<Value, any Error>] = [:]
  /// The number of times that the values were forgotten.
  private var changes = 0

  /// The most values that are kept.
  private static var most: Int { 200 }

  init(freshFor freshness: Duration) { self.freshness = freshness }

  /// Returns the value of a key, and reads it unless it is fresh or being read.
  ///
  /// - Throws: the error of the reading, which is not kept.
  func value(_ key: String = "", _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
    if let found = kept[key], .now - found.at < freshness { return found.value }
    if let reading = readings[key] { return try await reading.value }
    // Unstructured, because others wait for it too if the viewer who asked first goes away.
    let reading = Task { try await read() }
    readings[key] = reading
    let begun = changes
    let result = await reading.result
    // What was read before a change is not kept, and others may be reading again.
    guard begun == changes else { return try result.get() }
    readings[key] = nil
    if kept.count >= Self.most { kept = [:] }
    if case .success(let value) = result { kept[key] = (value, .now) }
    return try result.get()
  }

  /// Forgets all values, after a change of what they show.
  func forget() {
    changes += 1
    (kept, readings) = ([:], [:])
  }
}
