package import FoundationEssentials

extension UUID {
  /// Parses a UUID in upper or lower case.
  ///
  /// - Throws: `invalid_id`.
  package init(parsing text: String) throws(DomainError) {
    guard let id = UUID(text: text) else {
      throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
    }
    self = id
  }

  /// Parses a UUID in upper or lower case; nil for other text.
  ///
  /// Accepts the same text as the initialiser of Foundation, which parses with the slow `sscanf`.
  package init?(text: some StringProtocol) {
    var text = String(text)
    guard let id = text.withUTF8(Self.read) else { return nil }
    self = id
  }

  private static func read(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
    guard text.count == 36 else { return nil }
    var (high, low, digits): (UInt64, UInt64, Int) = (0, 0, 0)
    for (place, byte) in text.enumerated() {
      if place == 8 || place == 13 || place == 18 || place == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = digit(byte) else { return nil }
      if digits < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
      digits += 1
    }
    var bytes = (high.bigEndian, low.bigEndian)
    return withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// The UUID in lower case, as PostgreSQL prints it.
  package var text: String {
    withUnsafeBytes(of: uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { output in
        var place = 0
        for (index, byte) in bytes.enumerated() {
          if index == 4 || index == 6 || index == 8 || index == 10 {
            output[place] = UInt8(ascii: "-")
            place += 1
          }
          output[place] = Self.hexadecimal(byte >> 4)
          output[place + 1] = Self.hexadecimal(byte & 15)
          place += 2
        }
        return place
      }
    }
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
