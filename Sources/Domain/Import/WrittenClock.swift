/// A time of day behind a date: `T10:00:00Z`, ` 10:00`, ` 10:00:00.25`, ` 12:00:00 AM`.
struct WrittenClock {
  /// The microseconds since midnight.
  let microseconds: Int64
  /// The seconds ahead of UTC; nil if the time has no offset.
  let offset: Int64?

  init?(_ text: ArraySlice<UInt8>) {
    guard let first = text.first, [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(first)
    else {
      return nil
    }
    var rest = text.drop { $0 == UInt8(ascii: " ") }
    if first != UInt8(ascii: " ") { rest.removeFirst() }
    var fields: [Int64] = []
    while fields.count < 3 {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard (1...2).contains(digits.count), let value = Int64(asciiDigits: digits) else { return nil }
      fields.append(value)
      rest = rest.dropFirst(digits.count)
      guard rest.first == UInt8(ascii: ":") else { break }
      rest.removeFirst()
    }
    guard fields.count >= 2 else { return nil }
    var fraction: Int64 = 0
    if fields.count == 3, rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      // Digits beyond microseconds are cut off.
      for place in 0..<6 {
        let index = digits.startIndex + place
        fraction = fraction * 10 + (index < digits.endIndex ? Int64(digits[index] - 0x30) : 0)
      }
      rest = rest.dropFirst(digits.count + 1)
    }
    let tail = String(decoding: rest, as: UTF8.self).lowercased().filter { $0 != " " }
    var hour = fields[0]
    if tail == "am" || tail == "pm" {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (tail == "pm" ? 12 : 0)
    }
    guard hour < 24, fields[1] < 60, fields.count < 3 || fields[2] < 60 else { return nil }
    let seconds = hour * 3_600 + fields[1] * 60 + (fields.count == 3 ? fields[2] : 0)
    microseconds = seconds * 1_000_000 + fraction
    switch tail {
    case "", "am", "pm": offset = nil
    case "z", "utc": offset = 0
    default:
      guard let value = Self.offset(Array(tail.utf8)) else { return nil }
      offset = value
    }
  }

  /// Returns the seconds of `+02`, `+0200` or `+02:00`.
  private static func offset(_ text: [UInt8]) -> Int64? {
    guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    var digits = text.dropFirst()
    if digits.count == 5 {
      guard digits[digits.startIndex + 2] == UInt8(ascii: ":") else { return nil }
      digits.remove(at: digits.startIndex + 2)
    }
    guard digits.count == 2 || digits.count == 4, let number = Int64(asciiDigits: digits) else { return nil }
    let (hours, minutes) = digits.count == 2 ? (number, 0) : (number / 100, number % 100)
    guard hours < 24, minutes < 60 else { return nil }
    return (hours * 3_600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }
}
