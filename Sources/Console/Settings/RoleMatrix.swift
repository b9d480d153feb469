internal import Domain
internal import Engine
internal import Store
internal import Web

/// What each role may do: a row for each right, a column for each role.
struct RoleMatrix {
  /// A right that a role has on all records, on a person's own ones, or not at all.
  struct Right {
    let name: String
    let description: String
    /// True if the right can be given for a person's own records only.
    let hasOwn: Bool
    /// True if a company can give it to a role of its own.
    let isGrantable: Bool
  }

  /// How far a right goes.
  enum Reach: String, CaseIterable {
    case none, own, all
  }

  let frame: ScreenFrame
  let words: Words
  /// The rights by what they are about, in order: a record type, or a word such as `member`.
  let groups: [(subject: String, rights: [Right])]

  /// - Parameter permissions: the permissions as the API lists them.
  init(_ frame: ScreenFrame, permissions: [JSONObject]) {
    self.frame = frame
    words = Words.of(frame.language)
    let names = Set(permissions.compactMap { $0["permission"]?.string })
    var groups: [(subject: String, rights: [Right])] = []
    for item in permissions {
      guard let name = item["permission"]?.string, !name.hasSuffix(".own") else { continue }
      let subject = item["subject"]?.string ?? name
      let right = Right(
        name: name,
        description: item["description"]?.string ?? "",
        hasOwn: names.contains("\(name).own"),
        isGrantable: item["grantable"]?.bool == true
      )
      if let place = groups.firstIndex(where: { $0.subject == subject }) {
        groups[place].rights.append(right)
      } else {
        groups.append((subject, [right]))
      }
    }
    self.groups = groups
  }

  /// Returns how far a right of a role goes.
  static func reach(_ right: Right, in permissions: Set<String>) -> Reach {
    permissions.contains(right.name) ? .all : permissions.contains("\(right.name).own") ? .own : .none
  }

  /// Returns the permission that gives a right that far; nil for none.
  static func permission(_ name: String, _ reach: Reach) -> String? {
    switch reach {
    case .none: nil
    case .own: "\(name).own"
    case .all: name
    }
  }

  /// The rights of several roles side by side.
  func html(_ roles: [(name: String, label: String, permissions: Set<String>)]) -> HTML {
    let head = roles.map { role -> HTML in "<th scope=\"col\">\(own: role.label)</th>" }
    let parts = groups.map { group -> HTML in
      let rows = group.rights.map { right -> HTML in
        let cells = roles.map { role -> HTML in
          let reach = Self.reach(right, in: role.permissions)
          return
            "<td data-label=\"\(role.label)\" data-role=\"\(role.name)\" data-reach=\"\(reach.rawValue)\">\(cell(reach))</td>"
        }
        return "<tr data-right=\"\(right.name)\"><th scope=\"row\">\(label(right))</th>\(cells)</tr>"
      }
      let title = title(group.subject)
      return """
        <details class="card"><summary>\(title)</summary><div class="scroll" role="region" aria-label="\(title)" tabindex="0"><table class="list matrix"><thead><tr><th scope="col">\(words("rights.right"))</th>\(head)</tr></thead><tbody>\(rows)</tbody></table></div></details>
        """
    }
    return .joined(parts)
  }

  private func cell(_ reach: Reach) -> HTML {
    switch reach {
    case .none: "<span class=\"quiet\">\(words("rights.reach.none"))</span>"
    case .own: "\(words("rights.reach.own"))"
    case .all: "<strong>\(words("rights.reach.all"))</strong>"
    }
  }

  /// The fields with which a role of the company's own is changed.
  func fields(_ permissions: Set<String>) -> HTML {
    let parts = groups.map { group -> HTML in
      let rows = group.rights.filter(\.isGrantable).map { right -> HTML in
        let reach = Self.reach(right, in: permissions)
        let choices = Reach.allCases.filter { $0 != .own || right.hasOwn }
        let options = choices.map { choice in
          Select.option(
            choice.rawValue,
            words("rights.reach.\(choice.rawValue)"),
            isChosen: choice == reach
          )
        }
        return """
          <div class="field"><label for="p-\(right.name)">\(label(right))</label><select id="p-\(right.name)" name="p.\(right.name)">\(options)</select></div>
          """
      }
      guard !rows.isEmpty else { return .none }
      return "<details><summary>\(title(group.subject))</summary><div class=\"pair\">\(rows)</div></details>"
    }
    return .joined(parts)
  }

  private func type(_ subject: String) -> RecordType? { frame.types.first { $0.name == subject } }

  private func title(_ subject: String) -> String {
    if let type = type(subject) {
      return "\(TypeWords(type, words).app): \(TypeWords(type, words).plural)"
    }
    return words.known("rights.subject.\(subject)") ?? TypeWords.readable(subject.replacing(".", with: " "))
  }

  /// Returns a right as a verb: `Complete`, `Change`.
  func label(_ right: Right) -> String {
    if let known = words.known("rights.permission.\(right.name)") { return known }
    let verb = String(right.name.split(separator: ".").last ?? "")
    let subject = right.name.split(separator: ".").dropLast().joined(separator: ".")
    guard let type = type(subject) else {
      return words.language == .english ? right.description : words.known("rights.verb.\(verb)") ?? verb
    }
    if let known = words.known("rights.verb.\(verb)") { return known }
    return type.workflow?.transition(verb) == nil
      ? TypeWords.readable(verb) : TypeWords(type, words).transition(verb)
  }
}
