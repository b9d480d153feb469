internal import Values

/// A key with a name, as WebDriver writes it.
package enum Key: String, Sendable {
  case tab = "\u{E004}"
  case enter = "\u{E007}"
  case shift = "\u{E008}"
  case control = "\u{E009}"
  case alt = "\u{E00A}"
  case escape = "\u{E00C}"
  case space = " "
  case end = "\u{E010}"
  case home = "\u{E011}"
  case left = "\u{E012}"
  case up = "\u{E013}"
  case right = "\u{E014}"
  case down = "\u{E015}"
  case delete = "\u{E017}"
  case backspace = "\u{E003}"
}

extension Browser {
  /// Presses and releases a key, while others are held.
  package func press(_ key: Key, holding held: Key...) async throws { try await stroke(key.rawValue, held) }

  /// Presses and releases the keys of a text, one after the other, on whatever has the focus.
  package func press(_ text: String, holding held: Key...) async throws {
    for character in text { try await stroke(String(character), held) }
  }

  /// Presses Tab until a condition holds for what has the focus.
  ///
  /// - Parameters:
  ///   - expectation: what is to have the focus, for the message of the failure.
  ///   - limit: the greatest number of presses.
  /// - Returns: what has the focus then.
  package func tab(
    to expectation: String,
    limit: Int = 100,
    _ holds: (Element) async throws -> Bool
  ) async throws -> Element {
    for _ in 0..<limit {
      try await press(.tab)
      do {
        let element = try await focus
        if try await holds(element) { return element }
      } catch let error as WebDriverError where error.passes {
        // The page was left between the two questions: the next press is on the page after it.
      }
    }
    throw await failure("\(limit) presses of Tab have not reached \(expectation)")
  }

  /// Presses Tab until a link, button or field with a name has the focus.
  @discardableResult
  package func tab(to label: String, limit: Int = 100) async throws -> Element {
    try await tab(to: "\"\(label)\"", limit: limit) { try await $0.label == label }
  }

  /// What has the focus: the body, if nothing has.
  package var focus: Element {
    get async throws { Element(browser: self, root: try await command("GET", "/element/active")) }
  }

  private func stroke(_ key: String, _ held: [Key]) async throws {
    func action(_ type: String, _ key: String) -> JSONValue {
      ["type": .string(type), "value": .string(key)]
    }
    let actions =
      held.map { action("keyDown", $0.rawValue) } + [action("keyDown", key), action("keyUp", key)]
      + held.reversed().map { action("keyUp", $0.rawValue) }
    let keyboard: JSONObject = ["type": "key", "id": "keyboard", "actions": .array(actions)]
    try await command("POST", "/actions", ["actions": [.object(keyboard)]])
  }
}
