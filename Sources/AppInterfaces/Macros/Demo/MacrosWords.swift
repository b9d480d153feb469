internal import Apps

/// Names of generated meals.
enum MacrosWords {
  static let meals = [
    "Porridge", "Lunch", "Dinner", "Shake", "Yoghurt and berries", "Pasta", "Salad", "Sandwich",
  ]
}
