/// Lower-case hexadecimal text.
package enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Returns two digits per byte.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes for an even number of hexadecimal digits in either case; nil for any other text.
  package static func decode(_ text: String) -> [UInt8]? {
    let values = text.utf8.map { digit -> UInt8? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
      default: nil
      }
    }
    guard values.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: values.count, by: 2) {
      guard let high = values[index], let low = values[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}

/// The two base64 alphabets of RFC 4648.
package enum Base64 {
  /// The 64 characters, and whether the text is padded.
  package enum Alphabet: Sendable {
    /// `+` and `/`, padded with `=`.
    case standard
    /// `-` and `_`, not padded: safe in a URL and in a file name.
    case url

    fileprivate var characters: [UInt8] {
      let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
      return Array((common + (self == .standard ? "+/" : "-_")).utf8)
    }
  }

  /// Returns the bytes as text.
  package static func encode(_ bytes: [UInt8], alphabet: Alphabet = .standard) -> String {
    let characters = alphabet.characters
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for offset in 0..<3 {
        bits = bits << 8 | (offset < group.count ? UInt32(bytes[start + offset]) : 0)
      }
      for position in 0...group.count {
        text.append(characters[Int(bits >> (18 - 6 * UInt32(position)) & 63)])
      }
      if alphabet == .standard {
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - group.count))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes; nil for any text that `encode` would not produce.
  package static func decode(_ text: String, alphabet: Alphabet = .standard) -> [UInt8]? {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, character) in alphabet.characters.enumerated() {
      values[Int(character)] = UInt8(value)
    }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var pending = 0
    for character in text.utf8 where character != UInt8(ascii: "=") {
      guard let value = values[Int(character)] else { return nil }
      bits = bits << 6 | UInt32(value)
      pending += 6
      if pending >= 8 {
        pending -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(pending)))
      }
    }
    // Each value has one encoding: misplaced padding, stray bits and impossible lengths encode differently.
    return encode(bytes, alphabet: alphabet) == text ? bytes : nil
  }
}
