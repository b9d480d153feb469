/// The state of a line that is typed without echo. Independent of the terminal, so that it can be tested.
struct SecretLine {
  /// The effect of a key.
  enum Outcome: Equatable {
    case typing, finished, interrupted
  }

  private(set) var bytes: [UInt8] = []

  /// The current text.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Handles the next byte from the keyboard.
  mutating func press(_ byte: UInt8) -> Outcome {
    switch byte {
    case 0x0A, 0x0D: return .finished
    case 0x03: return .interrupted  // Ctrl-C
    case 0x04: return bytes.isEmpty ? .interrupted : .finished  // Ctrl-D
    case 0x15: bytes = []  // Ctrl-U
    case 0x08, 0x7F: removeLastCharacter()
    case 0x00...0x1F: break
    default: bytes.append(byte)
    }
    return .typing
  }

  /// Removes a whole character, regardless of its number of bytes.
  private mutating func removeLastCharacter() {
    var text = text
    if !text.isEmpty { text.removeLast() }
    bytes = Array(text.utf8)
  }
}
