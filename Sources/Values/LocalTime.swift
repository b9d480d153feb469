/// A time of day without a date or a time zone: PostgreSQL's `time`, from 00:00 to 24:00.
///
/// ```swift
/// let opening = LocalTime(hour: 8, minute: 30)
/// let closing = LocalTime(iso: "17:00")
/// ```
///
/// Precise to the microsecond.
public struct LocalTime: Sendable, Hashable {
  /// Microseconds since midnight, 0 to 86,400,000,000.
  public let microseconds: Int64

  /// Creates a time from the microseconds since midnight; nil outside 0 to 24 hours.
  public init?(microseconds: Int64) {
    guard (0...86_400_000_000).contains(microseconds) else { return nil }
    self.microseconds = microseconds
  }

  /// Creates a time from its parts; nil for an invalid one. 24:00 is valid, any later time is not.
  public init?(hour: Int, minute: Int, second: Int = 0, microsecond: Int = 0) {
    guard (0...24).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
    guard (0...999_999).contains(microsecond) else { return nil }
    self.init(microseconds: Int64((hour * 60 + minute) * 60 + second) * 1_000_000 + Int64(microsecond))
  }

  /// Parses a time such as `08:00`, `08:00:30` or `08:00:30.25`; nil for any other form, for a time that does not
  /// exist, and for more than six decimals, which would be lost.
  public init?(iso text: String) {
    guard let time = text.scanned({ LocalTime(scanning: $0) }) else { return nil }
    self = time
  }

  init(unchecked microseconds: Int64) { self.microseconds = microseconds }

  init?(scanning text: UnsafeBufferPointer<UInt8>) {
    let colon = UInt8(ascii: ":")
    guard text.count == 5 || text.count >= 8, text[2] == colon,
      let hour = Int64(asciiDigits: text[..<2]), let minute = Int64(asciiDigits: text[3..<5])
    else { return nil }
    var (second, fraction): (Int64, Int64) = (0, 0)
    if text.count > 5 {
      guard text[5] == colon, let seconds = Int64(asciiDigits: text[6..<8]) else { return nil }
      second = seconds
    }
    if text.count > 8 {
      guard text[8] == UInt8(ascii: "."), text.count <= 15, let decimals = Int64(asciiDigits: text[9...])
      else {
        return nil
      }
      fraction = (text.count..<15).reduce(decimals) { value, _ in value * 10 }
    }
    self.init(hour: Int(hour), minute: Int(minute), second: Int(second), microsecond: Int(fraction))
  }

  /// The hour, 0 to 24.
  public var hour: Int { Int(microseconds / 3_600_000_000) }
  /// The minute of the hour, 0 to 59.
  public var minute: Int { Int(microseconds / 60_000_000 % 60) }
  /// The second of the minute without its decimals, 0 to 59.
  public var second: Int { Int(microseconds / 1_000_000 % 60) }
  /// The whole minutes since midnight, 0 to 1440.
  public var minutes: Int { Int(microseconds / 60_000_000) }
}

extension LocalTime: Comparable {
  /// Returns true if the left time is earlier.
  public static func < (left: LocalTime, right: LocalTime) -> Bool { left.microseconds < right.microseconds }
}

extension LocalTime: CustomStringConvertible {
  /// The time as `08:00`, with seconds and decimals only if there are any.
  public var description: String {
    String(ascii: 15) { $0.put(self, hasSeconds: microseconds % 60_000_000 != 0) }
  }
}

extension ASCIIText {
  /// Writes a time as `08:00`, or as `08:00:30` with only the decimals that it needs.
  mutating func put(_ time: LocalTime, hasSeconds: Bool) {
    put(Int64(time.hour), 2)
    put(":")
    put(Int64(time.minute), 2)
    guard hasSeconds else { return }
    put(":")
    put(Int64(time.second), 2)
    let decimals = time.microseconds % 1_000_000
    guard decimals > 0 else { return }
    put(".")
    put(decimals, 6)
    dropZeros()
  }
}
