"""Sixteen categories of eight everyday words, made by hand: what neighbours are judged by and pages colour."""

from __future__ import annotations

CATEGORIES: dict[str, tuple[str, ...]] = {
    "family": ("mother", "father", "mom", "dad", "sister", "brother", "son", "daughter"),
    "names": ("tom", "mary", "lily", "anna", "john", "ben", "tim", "max"),
    "animals": ("dog", "cat", "bird", "bear", "rabbit", "horse", "fish", "mouse"),
    "food": ("cake", "apple", "bread", "milk", "cookies", "soup", "cheese", "meat"),
    "colours": ("red", "blue", "green", "yellow", "white", "black", "pink", "brown"),
    "body": ("head", "hand", "eyes", "arm", "leg", "hair", "nose", "mouth"),
    "clothes": ("dress", "hat", "shirt", "shoes", "coat", "jacket", "skirt", "boots"),
    "weather": ("rain", "snow", "wind", "storm", "sunny", "cold", "hot", "warm"),
    "nature": ("tree", "flower", "grass", "river", "lake", "mountain", "forest", "hill"),
    "home": ("chair", "table", "bed", "door", "window", "floor", "kitchen", "room"),
    "vehicles": ("car", "bus", "train", "truck", "boat", "plane", "bike", "ship"),
    "places": ("school", "park", "store", "hospital", "library", "station", "restaurant", "church"),
    "motion": ("walked", "ran", "jumped", "flew", "climbed", "swam", "danced", "hopped"),
    "feelings": ("happy", "sad", "angry", "scared", "excited", "proud", "surprised", "worried"),
    "numbers": ("two", "three", "four", "five", "six", "seven", "eight", "ten"),
    "time": ("day", "week", "month", "year", "hour", "minute", "morning", "night"),
}
