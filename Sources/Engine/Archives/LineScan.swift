/// A position in a line that moves from value to value.
struct LineScan {
  private let line: UnsafeBufferPointer<UInt8>
  private var place = 0

  init(_ line: UnsafeBufferPointer<UInt8>) { self.line = line }

  var isAtEnd: Bool { place == line.count }

  var isAtNull: Bool { place < line.count && line[place] == UInt8(ascii: "n") }

  /// Moves past a byte; false if another one is here.
  mutating func take(_ byte: UInt8) -> Bool {
    guard place < line.count, line[place] == byte else { return false }
    place += 1
    return true
  }

  /// Returns a text with its escapes, and moves past it; nil if another value is here.
  mutating func string() -> Slice<UnsafeBufferPointer<UInt8>>? {
    let start = place + 1
    guard place < line.count, line[place] == UInt8(ascii: "\""), let end = end(ofStringFrom: start) else {
      return nil
    }
    place = end + 1
    return line[start..<end]
  }

  /// Returns the place of the quotation mark that ends a text; nil if there is none.
  private func end(ofStringFrom start: Int) -> Int? {
    var end = start
    while end < line.count, line[end] != UInt8(ascii: "\"") {
      end += line[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    return end < line.count ? end : nil
  }

  /// Moves past a value: to the comma or the brace that follows it. False at the end of the line.
  mutating func skip() -> Bool {
    var depth = 0
    while place < line.count {
      switch line[place] {
      case UInt8(ascii: "\""):
        guard let end = end(ofStringFrom: place + 1) else { return false }
        place = end
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return true }
        depth -= 1
      case UInt8(ascii: ","):
        if depth == 0 { return true }
      default: break
      }
      place += 1
    }
    return false
  }
}
