/// What all viewers of the console share, read again when it is too old, so that ten viewers cost the statements of one.
actor SharedReading<Value: Sendable> {
  /// The age after which a value is read again.
  private let freshness: Duration
  private var kept: [String: (value: Value, at: ContinuousClock.Instant)] = [:]
  private var readings: [String: Task<Value, any Error>] = [:]

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
    defer { readings[key] = nil }
    let value = try await reading.value
    if kept.count >= Self.most { kept = [:] }
    kept[key] = (value, .now)
    return value
  }

  /// Forgets all values, after a change of what they show.
  func forget() { kept = [:] }
}
