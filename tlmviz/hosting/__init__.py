"""The app in front of many: limits, what is measured while it runs, and several processes behind one address."""
