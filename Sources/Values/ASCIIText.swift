/// ASCII text that is written into a buffer, without a text for each of its parts.
struct ASCIIText {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  mutating func put(_ character: Unicode.Scalar) {
    buffer[count] = UInt8(ascii: character)
    count += 1
  }

  /// Writes a number that is not negative, with leading zeros if it has fewer digits than `width`.
  mutating func put(_ number: Int64, _ width: Int) {
    var (digits, rest) = (1, number / 10)
    while rest > 0 { (digits, rest) = (digits + 1, rest / 10) }
    digits = max(digits, width)
    rest = number
    for place in (count..<count + digits).reversed() {
      buffer[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += digits
  }

  /// Takes back zeros at the end.
  mutating func dropZeros() { while count > 0, buffer[count - 1] == 0x30 { count -= 1 } }
}

extension String {
  /// Creates a text of at most `capacity` ASCII characters.
  init(ascii capacity: Int, _ write: (inout ASCIIText) -> Void) {
    self.init(unsafeUninitializedCapacity: capacity) { buffer in
      var text = ASCIIText(buffer)
      write(&text)
      return text.count
    }
  }

  /// Returns the result of a body with the bytes of the text.
  func scanned<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    var text = self
    return text.withUTF8(body)
  }
}
