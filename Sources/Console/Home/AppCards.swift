internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// A form of a card on the first page in which something is wrong.
struct CardRefusal {
  let form: FormBody
  let error: DomainError
  /// The app of the card.
  let app: String

  /// What is wrong, in a person's words.
  func text(_ words: Words) -> String { ErrorWords.text(error, words) }
}

/// What apps show on the first page beyond lists of records: the sun now, and the meals of a day against their goal.
///
/// A card that cannot be read is left out: the page has lists that can.
extension Console {
  var cardRoutes: [Route] {
    [
      inside(.get, "/solar/day", sunDay(_:)), inside(.post, "/solar/record", record(_:)),
      inside(.post, "/macros/log", log(_:)),
    ]
  }

  func cards(_ visit: Visit, _ frame: ScreenFrame, key: String, _ refused: CardRefusal? = nil) async -> HTML {
    var cards = HTML.none
    let readable = Set(frame.types.map(\.name))
    if readable.contains("solar.site") {
      cards = cards + ((try? await sun(visit, frame, key: key, refused)) ?? .none)
    }
    if readable.contains("macros.entry"), frame.role != "guest" {
      cards = cards + ((try? await meals(visit, frame, key: key, refused)) ?? .none)
    }
    return cards
  }

  // MARK: Solar

  /// The newest readings of each site, with their age, and the ways to record them.
  private func sun(_ visit: Visit, _ frame: ScreenFrame, key: String, _ refused: CardRefusal?) async throws
    -> HTML
  {
    let words = Words.of(frame.language)
    let (sites, _) = try await items(["v1", "solar", "site"], query: [("limit", "6")], visit)
    var cards = HTML.none
    for site in sites {
      let (id, name) = (site["id"]?.string ?? "", site["name"]?.string ?? "")
      // A site without a reading has nothing to show yet.
      let now = try? await inner.send(
        .get,
        ["current_readings"],
        query: [("site", id)],
        for: visit.request
      ).object
      guard let now else { continue }
      let numbers = NumberText(words.language)
      func number(_ name: String) -> String { numbers.text(brief: now[name]?.displayText ?? "") }
      let minutes = Int(now["age_seconds"]?.number?.integer ?? 0) / 60
      let age = minutes < 1 ? words("solar.now") : words.count("solar.age", minutes)
      let state: HTML =
        now["stale"]?.bool == true
        ? Pill.html(words("solar.stale"), .failed) : Pill.html(words("solar.fresh"), .done)
      cards =
        cards + """
          <section class="card sun"><h2><a href="\(link: visit.place("solar", "site", id))">\(own: name)</a> \(state)</h2>
          <p class="figures"><span><strong class="figure">\(number("inverter_reading"))</strong> kW</span><span><strong class="figure">\(number("meter_reading"))</strong> kWh</span></p>
          <p class="quiet">\(age) <a href="\(link: visit.place("solar", "day", query: [("site", id)]))">\(words("solar.hours"))</a></p>\(recordForms(visit, frame, now, id: id, key: "\(key)-\(id)", refused))</section>
          """
    }
    return cards
  }

  private func recordForms(
    _ visit: Visit,
    _ frame: ScreenFrame,
    _ now: JSONObject,
    id: String,
    key: String,
    _ refused: CardRefusal?
  ) -> HTML {
    guard frame.may("solar.recording.create") else { return .none }
    let words = Words.of(frame.language)
    let place = visit.place("solar", "record")
    let fields = [
      (name: "site", value: id), (name: "value", value: now["inverter_reading"]?.displayText ?? ""),
      (name: "timestamp", value: now["timestamp"]?.string ?? ""),
    ]
    func button(_ type: String) -> HTML {
      ActionButton.html(
        place,
        words("solar.record.\(type)"),
        key: "\(key)-\(type)",
        fields: fields + [("type", type)]
      )
    }
    let wrong = refused.flatMap { $0.app == "solar" && $0.form["site"] == id ? $0 : nil }
    return """
      <div class="buttons">\(button("auto"))\(button("auto_push"))</div>
      <details\(flag: "open", if: wrong != nil)><summary>\(words("solar.hand"))</summary><form method="post" action="\(link: place)">\(hidden("key", "\(key)-manual"))\(hidden("site", id))\(hidden("type", "manual"))
      <div class="field"><label for="value-\(id)">\(words("solar.value"))</label>\(Notice.fault(wrong?.text(words)))<input id="value-\(id)" name="value" class="short" inputmode="decimal" required value="\(wrong?.form["value"] ?? "")"></div>
      <button class="button" type="submit">\(words("form.save"))</button></form></details>
      """
  }

  /// Records the newest reading, or one that a person has read.
  private func record(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let frame = try await screens.frame(visit.acting)
    let now = frame.now.rfc3339
    do {
      // What a button records is as the server has written it.
      let text = form["value"] ?? ""
      let value = form["type"] == "manual" ? try NumberText(frame.language).read(text) : text
      let body: JSONObject = [
        "type": .string(form["type"] ?? ""), "timestamp": .string(form.text("timestamp") ?? now),
        "value": .string(value),
      ]
      let answer = try await inner.send(
        .post,
        ["record"],
        query: form.text("site").map { [("site", $0)] } ?? [],
        json: body,
        key: form["key"],
        for: visit.request
      ).object
      return .see(visit.place("solar", "recording", answer["id"]?.string ?? ""))
    } catch let error as DomainError where error.isMendable {
      return try await home(visit, refused: CardRefusal(form: form, error: error, app: "solar"))
    }
  }

  // MARK: Meals

  private static let nutrients = [("protein_g", "p"), ("carbs_g", "c"), ("fat_g", "f")]

  /// The day against its goal as rings, each with figure and percent beside it, and the ways to log a meal.
  private func meals(_ visit: Visit, _ frame: ScreenFrame, key: String, _ refused: CardRefusal?) async throws
    -> HTML
  {
    let words = Words.of(frame.language)
    let day = try await inner.send(.get, ["v1", "macros", "day", "today"], for: visit.request).object
    let numbers = NumberText(words.language)
    // In a company that does other work, the card is for those who log meals.
    let hasGoal = Self.nutrients.contains { name, _ in day["goal_\(name)"].map { !$0.isNull } ?? false }
    let hasEaten = day["kcal"].flatMap { Double($0.displayText) }.map { $0 > 0 } ?? false
    guard
      hasGoal || hasEaten || refused?.app == "macros"
        || !frame.types.contains(where: { $0.app == "maintenance" })
    else {
      return .none
    }
    let rings = Self.nutrients.map { name, letter -> HTML in
      let eaten = numbers.text(brief: day[name]?.displayText ?? "0")
      let label = words("macros.\(letter)")
      guard let goal = day["goal_\(name)"], !goal.isNull,
        let percent = day["\(name)_percent"].flatMap({ Double($0.displayText) })
      else { return "<li>\(label) <strong>\(eaten) g</strong></li>" }
      // A goal of next to nothing is surpassed beyond all numbers.
      let shown = Int(exactly: percent.rounded()) ?? 1_000_000
      let over: HTML =
        shown > 100 ? " <span class=\"bad\">\(words("macros.over", "\(shown - 100)"))</span>" : .none
      return """
        <li>\(Self.ring(percent, letter))<span>\(label) <strong>\(eaten) g</strong> \(words("macros.of", numbers.text(brief: goal.displayText))) · \(shown) %\(over)</span></li>
        """
    }
    let energy = words("macros.kcal", numbers.text(brief: day["kcal"]?.displayText ?? "0"))
    let log: HTML =
      frame.may("macros.entry.create") ? try await logForms(visit, frame, key: key, refused) : .none
    return """
      <section class="card meals"><h2><a href="\(link: visit.place("macros", "entry"))">\(words("macros.today"))</a></h2><ul class="rings">\(rings)</ul><p class="quiet">\(energy)</p>\(log)</section>
      """
  }

  /// A ring that is filled as far as a goal is reached; full above it.
  private static func ring(_ percent: Double, _ letter: String) -> HTML {
    let length = 2 * Double.pi * 16
    let filled = (min(100, max(0, percent)) / 100 * length * 10).rounded() / 10
    let rest = (length * 10).rounded() / 10
    return """
      <svg class="ring" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true"><circle class="track" cx="20" cy="20" r="16"/><circle class="\(letter == "p" ? "ring-p" : letter == "c" ? "ring-c" : "ring-f")" cx="20" cy="20" r="16" stroke-dasharray="\("\(filled) \(rest)")" transform="rotate(-90 20 20)"/></svg>
      """
  }

  /// One button for each preset, and three numbers for everything else.
  private func logForms(_ visit: Visit, _ frame: ScreenFrame, key: String, _ refused: CardRefusal?)
    async throws -> HTML
  {
    let wrong = refused?.app == "macros" ? refused : nil
    let words = Words.of(frame.language)
    let place = visit.place("macros", "log")
    var buttons: [HTML] = []
    if frame.types.contains(where: { $0.name == "macros.preset" }) {
      let (presets, _) = try await items(
        ["v1", "macros", "preset"],
        query: [("limit", "12"), ("sort", "position")],
        visit
      )
      buttons = presets.enumerated().map { index, preset in
        let id = preset["id"]?.string ?? ""
        let fields = Self.nutrients.map { (name: $0.0, value: preset[$0.0]?.displayText ?? "0") }
        return ActionButton.html(
          place,
          preset["name"]?.string ?? "",
          key: "\(key)-\(index)-\(id)",
          fields: fields + [("preset_id", id)]
        )
      }
    }
    let inputs = Self.nutrients.map { name, letter -> HTML in
      """
      <div class="field"><label for="log-\(name)">\(words("macros.\(letter)")), g</label><input id="log-\(name)" name="\(name)" class="short" inputmode="decimal" value="\(wrong?.form[name] ?? "")"></div>
      """
    }
    return """
      \(buttons.isEmpty ? .none : "<p class=\"buttons\">\(buttons)</p>")
      <form class="filters" method="post" action="\(link: place)">\(hidden("key", "\(key)-log"))\(Notice.fault(wrong?.text(words)))\(inputs)<button class="button primary" type="submit">\(words("macros.log"))</button></form>
      """
  }

  private func log(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let numbers = NumberText(try await screens.frame(visit.acting).language)
    let preset = form.text("preset_id")
    do {
      var body: JSONObject = [:]
      for (name, _) in Self.nutrients {
        // A preset has its amounts as the server has written them.
        guard let text = form.text(name) else { continue }
        let value = preset == nil ? try numbers.read(text) : text
        body[name] = .string(value)
      }
      guard !body.isEmpty else { throw DomainError(.invalidInput, "no amount was written") }
      if let preset { body["preset_id"] = .string(preset) }
      _ = try await inner.send(
        .post,
        ["v1", "macros", "entry"],
        json: body,
        key: form["key"],
        for: visit.request
      )
      return .see(visit.place())
    } catch let error as DomainError where error.isMendable {
      return try await home(visit, refused: CardRefusal(form: form, error: error, app: "macros"))
    }
  }
}
